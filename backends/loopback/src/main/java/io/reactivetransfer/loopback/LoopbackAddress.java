package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * Where one NIC is found.
 *
 * @param network id of the network, so that an address from another JVM leads nowhere here
 * @param engine id of the engine
 * @param nic index of the NIC among those of the engine
 */
record LoopbackAddress(long network, EngineId engine, int nic) {

  private static final int BYTES = Long.BYTES + EngineId.BYTES + 1;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(network)
        .putLong(engine.high())
        .putLong(engine.low())
        .put((byte) nic)
        .array();
  }

  static LoopbackAddress fromBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(
          0, "expected a loopback address of " + BYTES + " bytes, got " + bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    long network = in.getLong();
    EngineId engine = new EngineId(in.getLong(), in.getLong());
    return new LoopbackAddress(network, engine, Byte.toUnsignedInt(in.get()));
  }

  /** The shape of a network address, as error texts show it. */
  @Override
  public String toString() {
    return "loopback:" + engine.toShortString() + "/" + nic;
  }
}
