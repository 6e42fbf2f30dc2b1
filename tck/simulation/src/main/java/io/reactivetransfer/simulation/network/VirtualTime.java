package io.reactivetransfer.simulation.network;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes from one event to the next. Events of the same nanosecond come in an order that
 * the seed decides. Belongs to one thread, as does everything that is simulated on it.
 */
public final class VirtualTime {

  private record Event(long nanos, int lot, long number, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(nanos, other.nanos);
      if (byTime != 0) {
        return byTime;
      }
      int byLot = Integer.compare(lot, other.lot);
      return byLot != 0 ? byLot : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>(256);
  private final SplittableRandom lots;
  private long nanos;
  private long count;
  private long done;

  /** Begins at 0. */
  public VirtualTime(long seed) {
    lots = new SplittableRandom(seed);
  }

  /** The present, in nanoseconds. */
  public long nanos() {
    return nanos;
  }

  /** Does something later, or next if the delay is 0. */
  public void after(long delayNanos, Runnable action) {
    long at = delayNanos > Long.MAX_VALUE - nanos ? Long.MAX_VALUE : nanos + delayNanos;
    events.add(new Event(Math.max(nanos, at), lots.nextInt(), count++, action));
  }

  /** Goes to the next event and does it; false if there is none. */
  public boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nanos = next.nanos;
    done++;
    next.action.run();
    return true;
  }

  /** When the next event is due, or null if there is none. */
  public @Nullable Long nextNanos() {
    Event next = events.peek();
    return next == null ? null : next.nanos;
  }

  /** How many events were done. */
  public long eventsDone() {
    return done;
  }
}
