package io.reactivetransfer.examples.report;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * How long one of two things is measured before it is the turn of the other one.
 *
 * @param length of a round
 */
public record Round(Duration length) {

  /** What is usual. */
  public static final int USUAL_MILLIS = 1_000;

  /** One of so many milliseconds. */
  public static Round ofMillis(int millis) {
    return new Round(Duration.ofMillis(millis));
  }

  /** Its length in nanoseconds. */
  public long nanos() {
    return length.toNanos();
  }

  /** Its length in seconds, for people. */
  @Override
  public String toString() {
    return BigDecimal.valueOf(length.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
  }
}
