package io.reactivetransfer.libfabric;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Draws what nobody may guess. A deterministic generator that takes its seed when this is made:
 * later it only computes, where the usual one would read from the operating system, on the NIC's
 * thread.
 */
final class RandomKeys {

  private final SecureRandom random;

  RandomKeys() {
    try {
      random = SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected the JDK to have the secure generator DRBG", e);
    }
    random.nextLong(); // the first one takes the seed
  }

  long next() {
    return random.nextLong();
  }

  Token token() {
    return new Token(random.nextLong(), random.nextLong());
  }
}
