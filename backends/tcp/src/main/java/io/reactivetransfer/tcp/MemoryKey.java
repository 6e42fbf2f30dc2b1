package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * Names registered memory to those who may write it: 128 random bits, so that nobody guesses it.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
record MemoryKey(long high, long low) {

  static final int BYTES = 16;

  /** Whether these are its bits. */
  boolean is(long otherHigh, long otherLow) {
    return high == otherHigh && low == otherLow;
  }

  static MemoryKey decode(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(
          ErrorCode.PROTOCOL.value,
          "not a key of tcp memory: expected " + BYTES + " bytes, got " + bytes.length);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new MemoryKey(in.getLong(), in.getLong());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
  }

  /** Says nothing: who knows a key may write. */
  @Override
  public String toString() {
    return "MemoryKey[hidden]";
  }
}
