package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.BackendException;
import java.nio.ByteBuffer;

/**
 * Names registered memory to those who may write it: 128 random bits, so that nobody guesses it.
 * Whoever shows it to the owner is told the provider's own key, which has fewer bits and with some
 * providers is a small number.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
record Token(long high, long low) {

  static final int BYTES = 16;

  static Token decode(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new BackendException(
          0, "not a key of libfabric memory: expected " + BYTES + " bytes, got " + bytes.length);
    }
    return read(ByteBuffer.wrap(bytes));
  }

  static Token read(ByteBuffer in) {
    return new Token(in.getLong(), in.getLong());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
  }

  /** Says nothing: who knows a token may write. */
  @Override
  public String toString() {
    return "Token[hidden]";
  }
}
