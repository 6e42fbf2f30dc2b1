package io.reactivetransfer.simulation.network;

import io.reactivetransfer.Access;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory registered with one NIC.
 *
 * @param segment the bytes
 * @param access what writers may do
 * @param serial the key under which it is found, unique within the network
 */
record SimulatedMemory(MemorySegment segment, Access access, long serial) implements LocalMemory {

  @Override
  public byte[] key() {
    return ByteBuffer.allocate(Long.BYTES).putLong(serial).array();
  }
}
