package io.reactivetransfer.ibverbs;

import java.util.function.LongSupplier;

/**
 * Time in which a NIC was polled, in nanoseconds. While nobody polls it stands still: what peers
 * have said meanwhile may lie there unread, and is no reason to hold them for silent.
 */
final class LookClock implements LongSupplier {

  /** Idle engines poll at least ten times a second. */
  private static final long LONGEST_PAUSE_NANOS = 250_000_000;

  private long time;
  private long polledNanos;

  LookClock(long nanoTime) {
    polledNanos = nanoTime;
  }

  /** The NIC is polled now. */
  void polled(long nanoTime) {
    time += Math.min(nanoTime - polledNanos, LONGEST_PAUSE_NANOS);
    polledNanos = nanoTime;
  }

  @Override
  public long getAsLong() {
    return time;
  }
}
