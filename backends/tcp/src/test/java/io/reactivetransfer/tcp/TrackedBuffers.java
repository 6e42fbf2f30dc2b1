package io.reactivetransfer.tcp;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives buffers and remembers each, so that after every case it is known whether all came back:
 * Netty's own detector says so only when the garbage collector has passed, and not which case.
 */
final class TrackedBuffers extends AbstractByteBufAllocator {

  private final List<ByteBuf> given = new ArrayList<>();

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    ByteBuf buffer = new UnpooledHeapByteBuf(this, initialCapacity, maxCapacity);
    given.add(buffer);
    return buffer;
  }

  /** On the heap all the same: nobody looks, and it costs less to make. */
  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return newHeapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  /** How many bytes are held by buffers that were not released. */
  long heldBytes() {
    given.removeIf(buffer -> buffer.refCnt() == 0);
    return given.stream().mapToLong(ByteBuf::capacity).sum();
  }

  /** Forgets all; how many were not released. */
  int leaked() {
    int count = 0;
    for (ByteBuf buffer : given) {
      count += buffer.refCnt() > 0 ? 1 : 0;
    }
    given.clear();
    return count;
  }
}
