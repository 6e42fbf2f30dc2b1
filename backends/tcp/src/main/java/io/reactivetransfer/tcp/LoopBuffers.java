package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Buffers for one loop at a time: a thread of another engine never holds a lock that it needs. What
 * a pool has taken from the system it gives back only when the garbage collector finds it; so some
 * of engines that were closed are kept for the next ones, and the others are left to it.
 */
final class LoopBuffers {

  /** More are not kept, however many engines there were at once. */
  static final int MAX_SPARE = 4;

  private static final Queue<ByteBufAllocator> SPARE = new ArrayBlockingQueue<>(MAX_SPARE);

  private LoopBuffers() {}

  /** For a loop that begins. */
  static ByteBufAllocator take() {
    ByteBufAllocator spare = SPARE.poll();
    return spare == null ? newPool() : spare;
  }

  /** The loop has ended, and so has its thread. */
  static void giveBack(ByteBufAllocator buffers) {
    boolean _ = SPARE.offer(buffers);
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
