package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory registered with one NIC, under one key.
 *
 * @param segment the bytes
 * @param access what writers may do
 * @param name the key, under which the NIC's {@link MemoryTable} finds it
 */
record LoopbackMemory(MemorySegment segment, Access access, LoopbackKey name)
    implements LocalMemory {

  long length() {
    return segment.byteSize();
  }

  @Override
  public byte[] key() {
    return name.toBytes();
  }
}
