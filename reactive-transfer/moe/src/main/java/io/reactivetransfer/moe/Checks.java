package io.reactivetransfer.moe;

/** What is asked of arguments again and again. */
final class Checks {

  private Checks() {}

  static int between(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "expected " + name + " of " + min + " to " + max + ", got " + value);
    }
    return value;
  }

  /** Another state of a digest of 64 bits, which depends on all that was mixed in before. */
  static long mix(long digest, long value) {
    long mixed = (digest ^ value) * 0x9e3779b97f4a7c15L;
    return mixed ^ (mixed >>> 29);
  }

  /** The next multiple. */
  static long up(long value, long multiple) {
    return Math.multiplyExact(Math.ceilDiv(value, multiple), multiple);
  }
}
