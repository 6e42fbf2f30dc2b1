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
 * @param registration the first of these keys: what is revoked has another key, and is registered
 *     as before
 */
record SimulatedMemory(MemorySegment segment, Access access, long serial, long registration)
    implements LocalMemory {

  @Override
  public byte[] key() {
    return ByteBuffer.allocate(Long.BYTES).putLong(serial).array();
  }
}
