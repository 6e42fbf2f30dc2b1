package io.reactivetransfer.engine.base;

import io.reactivetransfer.Imm;

/**
 * The 32 bits that travel: the upper three say into how many counted pieces (1 to 8) a write was
 * cut, the lower 29 are the user's.
 */
public final class WireImm {

  /** The most pieces of one write that may carry its immediate. */
  public static final int MAX_PIECES = 8;

  /** Shares that make one whole write: the least common multiple of 1 to 8. */
  public static final int SHARES = 840;

  private WireImm() {}

  public static int encode(int imm, int pieces) {
    return (pieces - 1) << Imm.BITS | imm;
  }

  public static int imm(int wire) {
    return wire & Imm.MAX_VALUE;
  }

  /** What one piece adds to the counter. */
  public static int shares(int wire) {
    return SHARES / ((wire >>> Imm.BITS) + 1);
  }
}
