package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.Access;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory registered with one NIC, under one key. */
final class TcpMemory implements LocalMemory {

  private final MemoryKey key;
  private final MemorySegment segment;
  private final Access access;
  private boolean open = true;

  /** Made when they are needed, once: a buffer for each write would be garbage for each. */
  private final @Nullable MemoryWindow[] windows;

  TcpMemory(MemoryKey key, MemorySegment segment, Access access) {
    this.key = key;
    this.segment = segment;
    this.access = access;
    this.windows = new @Nullable MemoryWindow[MemoryWindow.count(segment.byteSize())];
  }

  @Override
  public byte[] key() {
    return key.encode();
  }

  MemoryKey memoryKey() {
    return key;
  }

  MemorySegment segment() {
    return segment;
  }

  Access access() {
    return access;
  }

  /** Whether remote writes under this key may still change it. */
  boolean isOpen() {
    return open;
  }

  /** Ends remote access. The bytes can still be read, by own writes that are under way. */
  void shut() {
    open = false;
  }

  /** Whether it was not freed, which the application may do although it is registered. */
  boolean isAlive() {
    return segment.scope().isAlive();
  }

  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= segment.byteSize() - length;
  }

  /**
   * The bytes of a write, for sending; {@linkplain MemoryView#recycle to be recycled}. The memory
   * is neither copied nor ever freed by it.
   */
  MemoryView source(long offset, int length) {
    return window(offset).view().full(MemoryWindow.within(offset), length);
  }

  /** An empty view for taking bytes in, or null if the memory is gone. */
  @Nullable MemoryView sink(long offset, int length) {
    return isAlive() ? window(offset).view().empty(MemoryWindow.within(offset), length) : null;
  }

  /**
   * Takes bytes in. The JDK copies, which keeps the memory from being freed meanwhile; Netty would
   * go by the address.
   *
   * @throws IllegalStateException if the memory was freed
   */
  void fill(long offset, ByteBuf in, int length) {
    int from = in.readerIndex();
    ByteBuffer bytes =
        in.nioBufferCount() == 1 ? in.internalNioBuffer(from, length) : in.nioBuffer(from, length);
    window(offset).range(MemoryWindow.within(offset), length).put(bytes);
    haveFaultsReported(length);
    in.readerIndex(from + length);
  }

  /**
   * Copies bytes out, to where there is room for them; as above.
   *
   * @throws IllegalStateException if the memory was freed
   */
  void copyTo(ByteBuf out, long offset, int length) {
    int to = out.writerIndex();
    out.internalNioBuffer(to, length)
        .put(window(offset).range(MemoryWindow.within(offset), length));
    haveFaultsReported(length);
    out.writerIndex(to + length);
  }

  /**
   * Where a mapped file was cut off, touching it is a fault, which HotSpot throws as an {@link
   * InternalError} at the next safepoint poll: when all calls are inlined, long after the copy. A
   * loop that is not counted polls in each of its rounds, so it is thrown here.
   */
  private static void haveFaultsReported(int length) {
    int left = length | 2;
    while (left != 0) {
      left >>>= 1;
    }
  }

  private MemoryWindow window(long offset) {
    int index = (int) (offset >>> MemoryWindow.SHIFT);
    MemoryWindow window = windows[index];
    if (window == null) {
      window = new MemoryWindow(segment, index);
      windows[index] = window;
    }
    return window;
  }
}
