package io.reactivetransfer.staging;

/**
 * Time in which the NIC was polled, in nanoseconds. While nobody polls it hardly goes on: what
 * peers have said meanwhile may lie there unread, and is no reason to hold them for silent.
 */
final class PollClock {

  /** Idle engines poll at least ten times a second. */
  private static final long LONGEST_PAUSE_NANOS = 250_000_000;

  private long time;
  private long polledNanos;

  PollClock(long nanoTime) {
    polledNanos = nanoTime;
  }

  void polled(long nanoTime) {
    time += Math.min(nanoTime - polledNanos, LONGEST_PAUSE_NANOS);
    polledNanos = nanoTime;
  }

  long now() {
    return time;
  }
}
