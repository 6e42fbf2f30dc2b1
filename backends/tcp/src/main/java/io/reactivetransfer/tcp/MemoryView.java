package io.reactivetransfer.tcp;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A range of some memory, as the sockets want it; shows one range after another, so that a write
 * costs no object. Nothing is copied, and the memory is never freed by it.
 */
final class MemoryView extends UnpooledDirectByteBuf {

  private final Consumer<MemoryView> home;
  private final MemorySegment.@Nullable Scope scope;
  private final boolean made;
  private int end;
  private boolean returnsWhenReleased;

  /**
   * Of this memory; shows nothing yet.
   *
   * @param home takes it back when it shows nothing any more
   * @param scope of memory that somebody else may free, or null
   */
  MemoryView(Consumer<MemoryView> home, ByteBuffer memory, MemorySegment.@Nullable Scope scope) {
    super(UnpooledByteBufAllocator.DEFAULT, memory.duplicate().clear(), memory.capacity());
    this.home = home;
    this.scope = scope;
    made = true;
    setIndex(0, 0);
  }

  /** Shows this range, full of bytes to send, until it is {@linkplain #recycle recycled}. */
  MemoryView full(int from, int length) {
    show(from, length, false);
    writerIndex(end);
    return this;
  }

  /** Shows this range, full of bytes to send, until it is released. */
  MemoryView part(int from, int length) {
    show(from, length, true);
    writerIndex(end);
    return this;
  }

  /** Shows this range, with room for bytes, until it is released. */
  MemoryView empty(int from, int length) {
    show(from, length, true);
    return this;
  }

  private void show(int from, int length, boolean untilReleased) {
    resetRefCnt();
    end = from + length;
    maxCapacity(end); // or someone may take it for a buffer that can grow
    returnsWhenReleased = untilReleased;
    setIndex(from, from);
  }

  /** It was released, and nobody asks any more whether it was. */
  void recycle() {
    home.accept(this);
  }

  /** The end of the range, so that nobody reads or writes behind it. */
  @Override
  public int capacity() {
    return made ? end : super.capacity();
  }

  /** Whether the memory was not freed. */
  boolean isAlive() {
    return scope == null || scope.isAlive();
  }

  // A socket asks for one of these right before each system call. The native ones then go by the
  // address alone, and would send what lies there by now.

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    requireAlive();
    return super.internalNioBuffer(index, length);
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    requireAlive();
    return super.nioBuffer(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    requireAlive();
    return super.nioBuffers(index, length);
  }

  @Override
  public long memoryAddress() {
    requireAlive();
    return super.memoryAddress();
  }

  private void requireAlive() {
    if (!isAlive()) {
      throw new IllegalStateException("expected registered memory to be there, got freed memory");
    }
  }

  @Override
  protected void deallocate() {
    if (returnsWhenReleased) {
      recycle(); // the memory itself stays
    }
  }
}
