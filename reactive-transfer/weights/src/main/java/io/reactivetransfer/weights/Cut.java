package io.reactivetransfer.weights;

/**
 * How a dimension is shared out when it does not divide.
 *
 * @param multiple bounds are multiples of this, as heads or blocks need it; at least 1
 * @param remainder who has less
 */
public record Cut(long multiple, Remainder remainder) {

  /** As PyTorch cuts: all have the rounded-up share, as long as something is left. */
  public static final Cut LAST_HAS_LESS = new Cut(1, Remainder.LAST);

  /** Who has less if it does not divide. */
  public enum Remainder {
    /** All have the rounded-up share; the last ones have less, or nothing. */
    LAST,
    /** The first ones have one multiple more than the others. */
    SPREAD
  }

  /** Checks the multiple. */
  public Cut {
    if (multiple < 1) {
      throw new IllegalArgumentException("expected multiples of 1 or more, got " + multiple);
    }
  }

  /** Bounds at multiples of this; the last ones have less. */
  public static Cut inMultiplesOf(long multiple) {
    return new Cut(multiple, Remainder.LAST);
  }

  /** The first index of a part; {@code part == parts} says where the last one ends. */
  long start(long size, int parts, int part) {
    long units = Math.ceilDiv(size, multiple);
    long each =
        remainder == Remainder.LAST
            ? part * Math.ceilDiv(units, parts)
            : part * (units / parts) + Math.min(part, units % parts);
    return Math.min(size, each * multiple);
  }

  /** As long as any part can be. */
  long longest(long size, int parts) {
    return Math.min(size, Math.ceilDiv(Math.ceilDiv(size, multiple), parts) * multiple);
  }
}
