package io.reactivetransfer.staging;

import java.nio.ByteBuffer;

/**
 * Names memory of an accelerator to those who may write it: 128 random bits, so that nobody guesses
 * it, behind 64 bits by which it is told from the keys of a NIC.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
record StagedKey(long high, long low) {

  static final int BYTES = 3 * Long.BYTES;

  /** Drawn once: no key of a NIC begins so but by chance. */
  private static final long MARK = 0x9d1f_6a0b_c84e_7723L;

  static boolean isOne(byte[] key) {
    return key.length == BYTES && ByteBuffer.wrap(key).getLong() == MARK;
  }

  /** Of bytes that are one. */
  static StagedKey decode(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key).position(Long.BYTES);
    return new StagedKey(bytes.getLong(), bytes.getLong());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putLong(MARK).putLong(high).putLong(low).array();
  }

  /** Says nothing: who knows a key may write. */
  @Override
  public String toString() {
    return "StagedKey[hidden]";
  }
}
