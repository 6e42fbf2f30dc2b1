package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * What a writer must know to write to registered memory.
 *
 * @param serial unique within the network
 * @param secret makes keys of other networks differ
 */
record LoopbackKey(long serial, long secret) {

  /** Names nothing: serials begin with 1. */
  static final LoopbackKey NONE = new LoopbackKey(0, 0);

  private static final int BYTES = 2 * Long.BYTES;

  byte[] toBytes() {
    return ByteBuffer.allocate(BYTES).putLong(serial).putLong(secret).array();
  }

  static LoopbackKey fromBytes(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(
          0, "expected a loopback key of " + BYTES + " bytes, got " + bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new LoopbackKey(in.getLong(), in.getLong());
  }
}
