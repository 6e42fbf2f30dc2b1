package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivetransfer.Access;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory registered with one NIC, under one key. */
final class TcpMemory implements LocalMemory {

  private final MemoryKey key;
  private final MemorySegment segment;
  private final Access access;
  private boolean open = true;

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
    in.readBytes(segment.asSlice(offset, length).asByteBuffer());
  }
}
