package io.reactivetransfer.control;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for one loop at a time: a thread of another engine never holds a lock that it needs. What
 * a pool has taken from the system it gives back only when the garbage collector finds it; so some
 * of engines that were closed are kept for the next ones, and the others are left to it.
 */
final class LoopBuffers {

  /** More are not kept, however many engines there were at once. */
  static final int MAX_SPARE = 4;

  /** Without a lock, since engines are opened and closed by threads that must not block. */
  private static final AtomicReferenceArray<@Nullable ByteBufAllocator> SPARE =
      new AtomicReferenceArray<>(MAX_SPARE);

  private LoopBuffers() {}

  /** For a loop that begins. */
  static ByteBufAllocator take() {
    for (int i = 0; i < MAX_SPARE; i++) {
      ByteBufAllocator spare = SPARE.getAndSet(i, null);
      if (spare != null) {
        return spare;
      }
    }
    return newPool();
  }

  /** The loop has ended, and so has its thread. */
  static void giveBack(ByteBufAllocator buffers) {
    for (int i = 0; i < MAX_SPARE; i++) {
      if (SPARE.compareAndSet(i, null, buffers)) {
        return;
      }
    }
  }

  private static ByteBufAllocator newPool() {
    return new PooledByteBufAllocator(
        true,
        0,
        1,
        PooledByteBufAllocator.defaultPageSize(),
        PooledByteBufAllocator.defaultMaxOrder(),
        PooledByteBufAllocator.defaultSmallCacheSize(),
        PooledByteBufAllocator.defaultNormalCacheSize(),
        false);
  }
}
