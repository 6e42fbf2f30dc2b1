package io.reactivetransfer.staging;

import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Draws what nobody may guess. It takes its seed when it is made and only computes later: the NIC's
 * thread does not read from the operating system.
 */
final class Randomness {

  private final SecureRandom random;

  Randomness() {
    try {
      random = SecureRandom.getInstance("DRBG");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("expected the JDK to have the secure generator DRBG", e);
    }
    random.nextLong(); // the first one takes the seed
  }

  long nextLong() {
    return random.nextLong();
  }

  int nextInt() {
    return random.nextInt();
  }

  StagedKey key() {
    return new StagedKey(random.nextLong(), random.nextLong());
  }
}
