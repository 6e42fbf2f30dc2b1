package io.reactivetransfer;

import java.time.Duration;
import java.util.Objects;

/**
 * What a dedicated NIC thread does when a turn found no work: it spins, for so many turns or for so
 * long, whichever ends first, and then sleeps. How long a turn takes depends on the NICs: where
 * each of them is asked by system calls, thousands of turns are milliseconds, for which other
 * threads, those of the control channel too, may wait for the core. How it sleeps depends on the
 * NICs. If all of them have file descriptors that show when there is something to poll, and the
 * artifact {@code reactive-transfer-ffm} is on the class path, it waits on these until there is;
 * the parks do not matter then. Otherwise it parks for ever longer, up to a bound. A backend that
 * can, wakes it by its doorbell; one that must be polled cannot, so the bound is also the longest
 * time that an arrival may wait there.
 *
 * <p>A value; begin with {@link #spin()} or {@link #backOff()}.
 */
public final class IdleStrategy {

  private static final Duration LONGEST = Duration.ofDays(365);

  private final int spins;
  private final Duration maxSpin;
  private final Duration minPark;
  private final Duration maxPark;

  private IdleStrategy(int spins, Duration maxSpin, Duration minPark, Duration maxPark) {
    this.spins = spins;
    this.maxSpin = maxSpin;
    this.minPark = minPark;
    this.maxPark = maxPark;
    if (spins < 0) {
      throw new IllegalArgumentException("expected 0 or more spins, got " + spins);
    }
    if (maxSpin.isNegative() || maxSpin.isZero() || maxSpin.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("expected 0 < maxSpin <= " + LONGEST + ", got " + maxSpin);
    }
    if (minPark.isNegative()
        || minPark.isZero()
        || maxPark.compareTo(minPark) < 0
        || maxPark.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "expected 0 < minPark <= maxPark <= "
              + LONGEST
              + ", got minPark "
              + minPark
              + " and maxPark "
              + maxPark);
    }
  }

  /** Never sleeps: lowest latency, one whole core. */
  public static IdleStrategy spin() {
    return backOff().withSpins(Integer.MAX_VALUE);
  }

  /**
   * Spins for 2,000 turns or 200 us, then waits on NICs that allow it, or parks for 1 us to 1 ms.
   */
  public static IdleStrategy backOff() {
    return new IdleStrategy(
        2_000, Duration.ofNanos(200_000), Duration.ofNanos(1_000), Duration.ofMillis(1));
  }

  /**
   * The same with at most so many turns without work before the thread sleeps for the first time, 0
   * or more; {@link Integer#MAX_VALUE} for never, however long that is.
   */
  public IdleStrategy withSpins(int turns) {
    return new IdleStrategy(turns, maxSpin, minPark, maxPark);
  }

  /** The same with turns without work for at most so long, more than 0 and up to 365 days. */
  public IdleStrategy withMaxSpin(Duration longest) {
    return new IdleStrategy(spins, longest, minPark, maxPark);
  }

  /** The same with this first park, and this longest one, of up to 365 days. */
  public IdleStrategy withParks(Duration first, Duration longest) {
    return new IdleStrategy(spins, maxSpin, first, longest);
  }

  /** Most turns without work before the thread sleeps for the first time. */
  public int spins() {
    return spins;
  }

  /** Longest time for these turns, unless it never sleeps. */
  public Duration maxSpin() {
    return maxSpin;
  }

  /** First park. */
  public Duration minPark() {
    return minPark;
  }

  /** Longest park. */
  public Duration maxPark() {
    return maxPark;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IdleStrategy that
        && spins == that.spins
        && maxSpin.equals(that.maxSpin)
        && minPark.equals(that.minPark)
        && maxPark.equals(that.maxPark);
  }

  @Override
  public int hashCode() {
    return Objects.hash(spins, maxSpin, minPark, maxPark);
  }

  @Override
  public String toString() {
    return spins == Integer.MAX_VALUE
        ? "spin"
        : spins + " spins in " + maxSpin + ", then parks of " + minPark + " to " + maxPark;
  }
}
