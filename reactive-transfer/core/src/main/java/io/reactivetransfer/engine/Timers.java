package io.reactivetransfer.engine;

import java.util.PriorityQueue;

/** What a worker must do later. Belongs to the worker; time is what it is told. */
final class Timers {

  /** One thing to do, once. */
  static final class Timer implements Comparable<Timer> {
    private final long deadlineNanos;
    private final long order;
    private final Runnable action;

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

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(order);
    }
  }

  private final PriorityQueue<Timer> queue = new PriorityQueue<>();
  private long count;

  Timer at(long deadlineNanos, Runnable action) {
    Timer timer = new Timer(deadlineNanos, count++, action);
    queue.add(timer);
    return timer;
  }

  void cancel(Timer timer) {
    queue.remove(timer);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Nanoseconds until the first is due, at least 0; a large number when there is none. */
  long untilNext(long now) {
    Timer first = queue.peek();
    return first == null ? Long.MAX_VALUE : Math.max(0, first.deadlineNanos - now);
  }

  /** Does what is due; returns how many. */
  int run(long now) {
    int done = 0;
    Timer first;
    while ((first = queue.peek()) != null && first.deadlineNanos - now <= 0) {
      queue.remove();
      first.action.run();
      done++;
    }
    return done;
  }
}
