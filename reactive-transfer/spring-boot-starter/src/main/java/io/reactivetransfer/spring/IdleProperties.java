package io.reactivetransfer.spring;

import io.reactivetransfer.IdleStrategy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a dedicated NIC thread does when there is no work, see {@link IdleStrategy}. What is null
 * was not set.
 */
public class IdleProperties {

  /**
   * Most turns without work before the thread sleeps, 0 or more, by default 2000; 2147483647 for
   * never, which takes a whole core.
   */
  private @Nullable Integer spins;

  /** Longest time of turns without work before the thread sleeps, by default 200us. */
  private @Nullable Duration maxSpin;

  /** First park of the thread, by default 1us. */
  private @Nullable Duration minPark;

  /** Longest park of the thread, by default 1ms. */
  private @Nullable Duration maxPark;

  public @Nullable Integer getSpins() {
    return spins;
  }

  public void setSpins(@Nullable Integer spins) {
    this.spins = spins;
  }

  public @Nullable Duration getMaxSpin() {
    return maxSpin;
  }

  public void setMaxSpin(@Nullable Duration maxSpin) {
    this.maxSpin = maxSpin;
  }

  public @Nullable Duration getMinPark() {
    return minPark;
  }

  public void setMinPark(@Nullable Duration minPark) {
    this.minPark = minPark;
  }

  public @Nullable Duration getMaxPark() {
    return maxPark;
  }

  public void setMaxPark(@Nullable Duration maxPark) {
    this.maxPark = maxPark;
  }
}
