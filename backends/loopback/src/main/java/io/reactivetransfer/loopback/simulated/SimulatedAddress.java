package io.reactivetransfer.loopback.simulated;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/** Where one NIC is found. */
record SimulatedAddress(EngineId engine, int nic) {

  private static final int BYTES = EngineId.BYTES + 1;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(engine.high())
        .putLong(engine.low())
        .put((byte) nic)
        .array();
  }

  static SimulatedAddress fromBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(0, "expected an address of " + BYTES + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new SimulatedAddress(new EngineId(in.getLong(), in.getLong()), in.get());
  }

  @Override
  public String toString() {
    return "simulated:" + engine.toShortString() + "/" + nic;
  }
}
