package io.reactivetransfer.ibverbs;

import java.time.Duration;

/**
 * How long a queue pair waits for acknowledgements, as verbs want it: 4.096 us times a power of
 * two, and a number of times that a packet is sent again. Seven times is for ever over Soft-RoCE,
 * so six are the most.
 *
 * @param exponent from 1 to 31
 * @param retries from 0 to 6
 */
record AckTiming(int exponent, int retries) {

  static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(67);
  static final int DEFAULT_RETRIES = 6;
  static final int MOST_RETRIES = 6;

  private static final long UNIT_NANOS = 4_096;
  private static final int MOST_EXPONENT = 31;

  /**
   * The shortest that is at least as long.
   *
   * @throws IllegalArgumentException if verbs cannot say that
   */
  static AckTiming of(Duration timeout, int retries) {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(longest()) > 0) {
      throw new IllegalArgumentException(
          "expected an acknowledgement timeout of more than 0 and at most "
              + longest().toSeconds()
              + " s, got "
              + timeout);
    }
    if (retries < 0 || retries > MOST_RETRIES) {
      throw new IllegalArgumentException(
          "expected 0 to " + MOST_RETRIES + " retries, got " + retries);
    }
    int exponent = 1;
    while (UNIT_NANOS << exponent < timeout.toNanos()) {
      exponent++;
    }
    return new AckTiming(exponent, retries);
  }

  private static Duration longest() {
    return Duration.ofNanos(UNIT_NANOS << MOST_EXPONENT);
  }

  /** After about so long, a peer that does not answer is given up. */
  Duration untilLost() {
    return Duration.ofNanos((UNIT_NANOS << exponent) * (retries + 1));
  }
}
