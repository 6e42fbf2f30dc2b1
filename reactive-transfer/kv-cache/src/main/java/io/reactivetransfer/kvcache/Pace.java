package io.reactivetransfer.kvcache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How much of an order has come, how fast, and what is left of its time. Safe from any thread. */
final class Pace {

  private final Duration deadline;
  private final KvTimers timers;
  private final long startNanos;

  /** Guarded by this, like the next ones. */
  private long total;

  private long arrived;
  private long firstNanos;

  /** The time of the order begins now. */
  Pace(Duration deadline, KvTimers timers) {
    this.deadline = deadline;
    this.timers = timers;
    this.startNanos = timers.nanos();
  }

  /** So many arrivals more are waited for. */
  synchronized void expect(long arrivals) {
    total += arrivals;
  }

  /** So many have come. */
  synchronized void came(long arrivals) {
    if (arrived == 0) {
      firstNanos = timers.nanos();
    }
    arrived += arrivals;
  }

  /** All that is waited for. */
  synchronized long total() {
    return total;
  }

  /** From the beginning until now. */
  Duration sinceStart() {
    return timers.since(startNanos);
  }

  /** From the beginning to the first arrival. */
  synchronized Duration untilFirst() {
    return KvTimers.between(startNanos, firstNanos);
  }

  /** From the first arrival until now. */
  synchronized Duration sinceFirst() {
    return timers.since(firstNanos);
  }

  /**
   * How much of the time is left, in milliseconds; 1 when it is over. A part of one is a whole one:
   * who is told of it must not end it before its time, which would be told here as his failure.
   */
  Duration left() {
    long nanos = deadline.toNanos() - (timers.nanos() - startNanos);
    return Duration.ofMillis(Math.max(1, Math.ceilDiv(nanos, 1_000_000)));
  }

  /** What there is to say when the time is over. */
  synchronized String lateText() {
    if (total == 0) {
      return "expected an answer within " + deadline + ", none came";
    }
    return "expected "
        + total
        + " arrivals within "
        + deadline
        + (arrived == 0 ? ", none came" : ", " + arrived + " or a few more came");
  }

  /**
   * Looks whether at the rate so far it would take twice as long as there is left. Not before an
   * eighth of the time has passed since the first arrival.
   *
   * @return what there is to say then; null if it may be done in time
   */
  synchronized @Nullable String infeasible() {
    long nanos = deadline.toNanos();
    long now = timers.nanos();
    long since = now - firstNanos;
    if (arrived == 0 || since < nanos / 8) {
      return null;
    }
    // It is only known in parts how much has come.
    long came = Math.min(total, arrived + Math.ceilDiv(total, 8));
    long left = nanos - (now - startNanos);
    if (left <= 0) {
      return null; // its time is over, which is said otherwise
    }
    long needed = (long) ((double) since * (total - came) / came);
    return needed / 2 <= left
        ? null
        : "expected it to take at most "
            + Duration.ofNanos(left).toMillis()
            + " ms more, got a rate at which it takes some "
            + Duration.ofNanos(needed).toMillis()
            + " ms";
  }
}
