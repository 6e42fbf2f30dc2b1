package io.reactivetransfer;

import java.time.Duration;

/**
 * What a dedicated NIC thread does when a turn found no work: it spins, then sleeps. How it sleeps
 * depends on the NICs. If all of them have file descriptors that show when there is something to
 * poll, and the artifact {@code reactive-transfer-ffm} is on the class path, it waits on these
 * until there is; {@code minPark} and {@code maxPark} do not matter then. Otherwise it parks for
 * ever longer, up to a bound. A backend that can, wakes it by its doorbell; one that must be polled
 * cannot, so the bound is also the longest time that an arrival may wait there.
 *
 * @param spins turns without work before the thread sleeps for the first time; {@link
 *     Integer#MAX_VALUE} for never
 * @param minPark first park
 * @param maxPark longest park, up to 365 days
 */
public record IdleStrategy(int spins, Duration minPark, Duration maxPark) {

  private static final Duration LONGEST_PARK = Duration.ofDays(365);

  /** Checks the numbers. */
  public IdleStrategy {
    if (spins < 0) {
      throw new IllegalArgumentException("expected 0 or more spins, got " + spins);
    }
    if (minPark.isNegative()
        || minPark.isZero()
        || maxPark.compareTo(minPark) < 0
        || maxPark.compareTo(LONGEST_PARK) > 0) {
      throw new IllegalArgumentException(
          "expected 0 < minPark <= maxPark <= "
              + LONGEST_PARK
              + ", got minPark "
              + minPark
              + " and maxPark "
              + maxPark);
    }
  }

  /** Never sleeps: lowest latency, one whole core. */
  public static IdleStrategy spin() {
    return new IdleStrategy(Integer.MAX_VALUE, Duration.ofNanos(1), Duration.ofNanos(1));
  }

  /** Spins for some microseconds, then waits on NICs that allow it, or parks for 1 us to 1 ms. */
  public static IdleStrategy backOff() {
    return new IdleStrategy(2_000, Duration.ofNanos(1_000), Duration.ofMillis(1));
  }
}
