package io.reactivetransfer.moe;

/** What decides the random tests of a class. */
final class Seeds {

  private static final String PROPERTY = "reactivetransfer.moe.seed";

  private Seeds() {}

  /** The one that was asked for, which is said, since any test may go by it; or the usual one. */
  static long first(long usual) {
    long seed = Long.getLong(PROPERTY, usual);
    if (seed != usual) {
      System.out.println("-D" + PROPERTY + "=" + seed);
    }
    return seed;
  }
}
