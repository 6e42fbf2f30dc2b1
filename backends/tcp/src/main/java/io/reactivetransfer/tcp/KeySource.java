package io.reactivetransfer.tcp;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.function.Supplier;

/**
 * Draws memory keys and nonces that nobody can guess. A deterministic generator that is seeded by
 * the operating system when this is made: drawing a key then computes only, where the usual {@link
 * SecureRandom} would read from the operating system, on the event loop.
 */
final class KeySource implements Supplier<MemoryKey> {

  private final SecureRandom random;

  KeySource() {
    try {
      random = SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected the JDK to have the secure generator DRBG", e);
    }
    get(); // the first one takes the seed
  }

  @Override
  public MemoryKey get() {
    ByteBuffer in = ByteBuffer.wrap(bytes(MemoryKey.BYTES));
    return new MemoryKey(in.getLong(), in.getLong());
  }

  /** As random as a key. */
  byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
