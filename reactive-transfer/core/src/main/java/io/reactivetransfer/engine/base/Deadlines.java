package io.reactivetransfer.engine.base;

import java.time.Duration;
import java.util.Objects;

/** Deadlines as the engine keeps them: nanoseconds, 0 for none. */
public final class Deadlines {

  public static final long NONE = 0;

  private static final Duration LONGEST = Duration.ofDays(365);

  private Deadlines() {}

  /**
   * Checks a deadline.
   *
   * @throws IllegalArgumentException if it is not above 0, or longer than a year
   */
  public static long nanos(Duration deadline) {
    Objects.requireNonNull(deadline, "deadline");
    if (deadline.isNegative() || deadline.isZero() || deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "expected a deadline above 0 and of at most "
              + LONGEST.toDays()
              + " days, got "
              + deadline);
    }
    return deadline.toNanos();
  }

  /** For an error text: in the largest unit that says it exactly enough. */
  public static String text(long nanos) {
    return nanos >= 1_000_000 ? nanos / 1_000_000 + " ms" : nanos + " ns";
  }
}
