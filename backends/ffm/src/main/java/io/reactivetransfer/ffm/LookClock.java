package io.reactivetransfer.ffm;

import java.util.function.LongSupplier;

/**
 * Time in which a NIC was polled, in nanoseconds. While nobody polls it stands still: what peers
 * have said meanwhile may lie there unread, and is no reason to hold them for silent.
 */
public final class LookClock implements LongSupplier {

  /** Idle engines poll at least ten times a second. */
  private static final long LONGEST_PAUSE_NANOS = 250_000_000;

  private long time;
  private long polledNanos;

  /** Begins at 0; it is now by {@link System#nanoTime}, or by what a test has instead. */
  public LookClock(long nanoTime) {
    polledNanos = nanoTime;
  }

  /** The NIC is polled now. */
  public void polled(long nanoTime) {
    time += Math.min(nanoTime - polledNanos, LONGEST_PAUSE_NANOS);
    polledNanos = nanoTime;
  }

  @Override
  public long getAsLong() {
    return time;
  }
}
