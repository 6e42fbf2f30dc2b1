package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Buffers for one loop at a time: a thread of another engine never holds a lock that it needs. What
 * a pool has taken from the system it gives back only when the garbage collector finds it; so those
 * of engines that were closed are kept for the next ones.
 */
final class LoopBuffers {

  private static final Queue<ByteBufAllocator> SPARE = new ConcurrentLinkedQueue<>();

  private LoopBuffers() {}

  /** For a loop that begins. */
  static ByteBufAllocator take() {
    ByteBufAllocator spare = SPARE.poll();
    return spare == null ? newPool() : spare;
  }

  /** The loop has ended, and so has its thread. */
  static void giveBack(ByteBufAllocator buffers) {
    SPARE.add(buffers);
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
