package io.reactivetransfer.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a worker must do later. Belongs to the worker; time is what it is told. */
final class Timers {

  /** One thing to do, once. */
  static final class Timer {
    private final long deadlineNanos;
    private final long order;
    private final Runnable action;

    /** Where it stands in the heap; below 0 when it is over. */
    private int place = -1;

    private Timer(long deadlineNanos, long order, Runnable action) {
      this.deadlineNanos = deadlineNanos;
      this.order = order;
      this.action = action;
    }

    private boolean isBefore(Timer other) {
      // by difference, because nanoTime may wrap around
      long sooner = deadlineNanos - other.deadlineNanos;
      return sooner == 0 ? order < other.order : sooner < 0;
    }
  }

  /** A heap in which each timer knows its place: so one can be cancelled without a search. */
  private @Nullable Timer[] heap = new Timer[16];

  private int size;
  private long count;

  Timer at(long deadlineNanos, Runnable action) {
    Timer timer = new Timer(deadlineNanos, count++, action);
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, size * 2);
    }
    up(size++, timer);
    return timer;
  }

  /** Does nothing if it is over. */
  void cancel(Timer timer) {
    int place = timer.place;
    if (place < 0) {
      return;
    }
    timer.place = -1;
    Timer moved = known(--size);
    heap[size] = null;
    if (place < size) {
      down(place, moved);
      up(moved.place, moved);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Nanoseconds until the first is due, at least 0; a large number when there is none. */
  long untilNext(long now) {
    return size == 0 ? Long.MAX_VALUE : Math.max(0, known(0).deadlineNanos - now);
  }

  /** Does what is due; returns how many. */
  int run(long now) {
    int done = 0;
    while (size > 0 && known(0).deadlineNanos - now <= 0) {
      Timer first = known(0);
      cancel(first);
      first.action.run();
      done++;
    }
    return done;
  }

  private Timer known(int place) {
    return Flight.known(heap[place]);
  }

  private void up(int place, Timer timer) {
    int free = place;
    while (free > 0) {
      int parent = (free - 1) >>> 1;
      Timer above = known(parent);
      if (!timer.isBefore(above)) {
        break;
      }
      put(free, above);
      free = parent;
    }
    put(free, timer);
  }

  private void down(int place, Timer timer) {
    int free = place;
    int child;
    while ((child = 2 * free + 1) < size) {
      if (child + 1 < size && known(child + 1).isBefore(known(child))) {
        child++;
      }
      Timer below = known(child);
      if (!below.isBefore(timer)) {
        break;
      }
      put(free, below);
      free = child;
    }
    put(free, timer);
  }

  private void put(int place, Timer timer) {
    heap[place] = timer;
    timer.place = place;
  }
}
