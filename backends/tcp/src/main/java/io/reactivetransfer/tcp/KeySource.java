package io.reactivetransfer.tcp;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.function.Supplier;

/**
 * Draws memory keys, and what else must be so random, that nobody can guess. A deterministic
 * generator that is seeded by the operating system when this is made: drawing a key then computes
 * only, where the usual {@link SecureRandom} would read from the operating system, on the event
 * loop.
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
    byte[] bytes = new byte[MemoryKey.BYTES];
    random.nextBytes(bytes);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new MemoryKey(in.getLong(), in.getLong());
  }
}
