package io.reactivetransfer.engine.base;

import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time, and what is to be done later. Belongs to the NIC thread. Cancelling costs the same
 * however many there are: what is cancelled stays in the heap until it comes up, or until half of
 * the heap is that.
 */
public final class Timers {

  /** So many that are cancelled are never worth a look at all. */
  private static final int FEW = 64;

  /**
   * The longest time that is told apart, 146 years: deadlines are compared by their difference,
   * which must not overflow.
   */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 2;

  /** One thing to do, once. */
  public static final class Timer implements Comparable<Timer> {
    private final long deadlineNanos;
    private final long order;

    /** Null when it is done or cancelled. */
    private @Nullable Runnable action;

    private Timer(long deadlineNanos, long order, Runnable action) {
      this.deadlineNanos = deadlineNanos;
      this.order = order;
      this.action = action;
    }

    @Override
    public int compareTo(Timer other) {
      // by difference, because nanoTime may wrap around
      long sooner = deadlineNanos - other.deadlineNanos;
      return sooner == 0 ? Long.compare(order, other.order) : Long.signum(sooner);
    }
  }

  private final LongSupplier clock;
  private final Owner owner;
  private final PriorityQueue<Timer> heap = new PriorityQueue<>();
  private long turnNanos;
  private long count;
  private int cancelled;

  /** By this clock of nanoseconds. */
  public Timers(LongSupplier clock, Owner owner) {
    this.clock = clock;
    this.owner = owner;
  }

  /** Who may use it. */
  public Owner owner() {
    return owner;
  }

  /** The time. From any thread. */
  public long now() {
    return clock.getAsLong();
  }

  /** The time at which this turn began. */
  public long turnNanos() {
    return turnNanos;
  }

  /** A turn begins. */
  public void beginTurn() {
    turnNanos = now();
  }

  /** Has it done in so many nanoseconds. */
  public Timer in(long nanos, Runnable action) {
    return at(after(now(), nanos), action);
  }

  /** The deadline so many nanoseconds after a time. */
  public static long after(long time, long nanos) {
    return time + Math.min(nanos, NEVER_NANOS);
  }

  public Timer at(long deadlineNanos, Runnable action) {
    assert owner.isCurrent();
    Timer timer = new Timer(deadlineNanos, count++, action);
    heap.add(timer);
    return timer;
  }

  /** Does nothing if it is over. */
  public void cancel(Timer timer) {
    assert owner.isCurrent();
    if (timer.action != null) {
      timer.action = null;
      if (++cancelled > FEW && cancelled > heap.size() / 2) {
        heap.removeIf(each -> each.action == null);
        cancelled = 0;
      }
    }
  }

  public boolean isEmpty() {
    return heap.size() == cancelled;
  }

  /** Nanoseconds until the first is due, at least 0; a large number when there is none. */
  public long untilNext(long now) {
    Timer first = first();
    return first == null ? Long.MAX_VALUE : Math.max(0, first.deadlineNanos - now);
  }

  /** Does what is due; returns how many. */
  public int run(long now) {
    int done = 0;
    Timer first;
    while ((first = first()) != null && first.deadlineNanos - now <= 0) {
      heap.remove();
      Runnable action = first.action;
      first.action = null;
      if (action != null) {
        action.run();
        done++;
      }
    }
    return done;
  }

  /** The first that is not cancelled, or null. */
  private @Nullable Timer first() {
    Timer first;
    while ((first = heap.peek()) != null && first.action == null) {
      heap.remove();
      cancelled--;
    }
    return first;
  }
}
