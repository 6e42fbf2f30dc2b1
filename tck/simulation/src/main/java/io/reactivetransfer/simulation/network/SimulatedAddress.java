package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * Where one NIC is found, and of which engine it is. What travels is the place and the number only:
 * a process that is started again at the same place has the same addresses, and is another engine.
 */
record SimulatedAddress(EngineId engine, int place, int nic) {

  private static final int BYTES = Integer.BYTES + 1;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putInt(place).put((byte) nic).array();
  }

  static SimulatedAddress fromBytes(EngineId engine, byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(0, "expected an address of " + BYTES + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new SimulatedAddress(engine, in.getInt(), in.get());
  }

  /** Whether the NIC of either would be found where that of the other is. */
  boolean isWhere(SimulatedAddress other) {
    return place == other.place && nic == other.nic;
  }

  @Override
  public String toString() {
    return "simulated:" + engine.toShortString() + "@" + place + "/" + nic;
  }
}
