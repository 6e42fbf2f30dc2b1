package io.reactivetransfer;

/**
 * An immediate: the number that travels with a write and is counted at the target. A user has 29
 * bits; the other three bits of the wire's 32 say into how many pieces a write was cut.
 *
 * @param value 0 to {@value #MAX_VALUE}
 */
public record Imm(int value) {

  /** Bits that a user may use. */
  public static final int BITS = 29;

  /** The largest value. */
  public static final int MAX_VALUE = (1 << BITS) - 1;

  /**
   * The smallest value that is {@linkplain TransferEngine#lease() leased}; those below are for
   * applications that agree on values of their own.
   */
  public static final int FIRST_LEASED = 1 << (BITS - 1);

  /** Checks the range. */
  public Imm {
    if (value < 0 || value > MAX_VALUE) {
      throw new IllegalArgumentException(
          "expected an immediate of 0 to " + MAX_VALUE + " (" + BITS + " bits), got " + value);
    }
  }

  /** The immediate with this value. */
  public static Imm of(int value) {
    return new Imm(value);
  }
}
