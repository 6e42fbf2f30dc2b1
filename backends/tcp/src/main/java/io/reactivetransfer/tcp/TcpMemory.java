package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory registered with one NIC, under one key. */
final class TcpMemory implements LocalMemory {

  /** The longest that a {@link ByteBuffer} can show. */
  private static final int MAX_VIEW_BYTES = Integer.MAX_VALUE - 8;

  private final MemoryKey key;
  private final MemorySegment segment;
  private final Access access;
  private boolean open = true;

  /** The first 2 GiB, made once: a view for each write would be a garbage object for each. */
  private @Nullable ByteBuffer view;

  TcpMemory(MemoryKey key, MemorySegment segment, Access access) {
    this.key = key;
    this.segment = segment;
    this.access = access;
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

  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= segment.byteSize() - length;
  }

  /** A view for sending; the memory itself is neither copied nor ever freed by it. */
  ByteBuf source(long offset, long length) {
    return Unpooled.wrappedBuffer(segment.asSlice(offset, length).asByteBuffer());
  }

  /** An empty buffer for taking bytes in, or null if the memory is gone. */
  @Nullable ByteBuf sink(long offset, long length) {
    return segment.scope().isAlive() ? source(offset, length).clear() : null;
  }

  /** Takes bytes in. */
  void fill(long offset, ByteBuf in, int length) {
    in.readBytes(range(offset, length));
  }

  /** Copies bytes out. */
  void copyTo(ByteBuf out, long offset, int length) {
    out.writeBytes(range(offset, length));
  }

  /** To be used at once: the next call gives the same buffer with another range. */
  private ByteBuffer range(long offset, int length) {
    if (offset + length > MAX_VIEW_BYTES) {
      return segment.asSlice(offset, length).asByteBuffer();
    }
    ByteBuffer whole = view;
    if (whole == null) {
      whole = segment.asSlice(0, Math.min(segment.byteSize(), MAX_VIEW_BYTES)).asByteBuffer();
      view = whole;
    }
    return whole.limit((int) offset + length).position((int) offset);
  }
}
