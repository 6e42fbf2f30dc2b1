package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All flights of an engine, found by the token that a NIC gives back, and those of each lane, in
 * the order in which they began, linked by their slots. Grows up to a bound, reuses its slots,
 * allocates nothing in a steady state.
 */
public final class FlightTable {

  /** Above any sensible setting: about 200 MB of flights. */
  static final int MAX_FLIGHTS = PieceToken.MAX_FLIGHTS;

  private Flight[] flights = newFlights(new Flight[0], 64);
  private int[] free = new int[0];
  private int freeCount;

  /** Lanes that nobody uses, by their next. */
  private @Nullable Lane unused;

  private @Nullable Run unusedRun;

  public FlightTable() {
    growFree(0, flights.length);
  }

  int inUse() {
    return flights.length - freeCount;
  }

  /** How many can be begun. */
  int room() {
    return MAX_FLIGHTS - inUse();
  }

  /** Whether so many more fit. */
  boolean hasRoomFor(int count) {
    return room() >= count;
  }

  /** What a flight of this stream between these regions belongs to. */
  Run run(Submission submission, RegisteredRegion source, ResolvedRegion target) {
    Outbound to = Outbound.to(target.peer());
    Lane known = submission.lanes().to(to);
    Lane lane = known == null ? beginLane(submission, to) : known;
    Run run = lane.run;
    if (run == null || !run.isBetween(source, target)) {
      run = unusedRun;
      if (run == null) {
        run = new Run();
      } else {
        unusedRun = run.unused;
      }
      run.begin(lane, source, target);
      lane.run = run;
    }
    return run;
  }

  /** Begins a flight of the transfer at this place, behind those of its lane. */
  Flight begin(Run run, int place) {
    Lane lane = run.lane();
    if (freeCount == 0) {
      int old = flights.length;
      flights = newFlights(flights, old * 2);
      growFree(old, flights.length);
    }
    Flight flight = flights[free[--freeCount]];
    flight.begin(run, place, lane.to().link.route());
    run.flights++;
    int last = lane.last;
    if (last == Lane.NONE) {
      lane.first = flight.slot;
    } else {
      flights[last].after = flight.slot;
    }
    flight.before = last;
    flight.after = Lane.NONE;
    lane.last = flight.slot;
    return flight;
  }

  private Lane beginLane(Submission submission, Outbound to) {
    Lane lane = unused;
    if (lane == null) {
      lane = new Lane();
    } else {
      unused = lane.next == lane ? null : lane.next;
    }
    lane.begin(submission, to);
    return lane;
  }

  /** Ends a flight; returns the source that is not used any more by its run, or null. */
  @Nullable RegisteredRegion release(Flight flight) {
    Run run = flight.run();
    Lane lane = run.lane();
    int before = flight.before;
    int after = flight.after;
    if (before == Lane.NONE) {
      lane.first = after;
    } else {
      flights[before].after = after;
    }
    if (after == Lane.NONE) {
      lane.last = before;
    } else {
      flights[after].before = before;
    }
    if (before == after) {
      lane.end();
      lane.next = unused == null ? lane : unused;
      unused = lane;
    }
    flight.end();
    free[freeCount++] = flight.slot;
    return --run.flights == 0 ? end(run, lane) : null;
  }

  @SuppressWarnings("ReferenceEquality") // the very same run
  private RegisteredRegion end(Run run, Lane lane) {
    if (lane.run == run) {
      lane.run = null;
    }
    RegisteredRegion source = run.end();
    run.unused = unusedRun;
    unusedRun = run;
    return source;
  }

  /** Visits the lanes that nobody uses. */
  void forEachUnused(Consumer<Lane> visitor) {
    Lane lane = unused;
    while (lane != null) {
      visitor.accept(lane);
      lane = lane.next == lane ? null : lane.next;
    }
  }

  /** The flight in a slot. */
  Flight at(int slot) {
    return flights[slot];
  }

  /** The flight that began first of those of a lane, or null if there is none. */
  @Nullable Flight first(Lane lane) {
    return lane.first == Lane.NONE ? null : flights[lane.first];
  }

  /** The one of its lane that began after it, or null if it is the last. */
  @Nullable Flight after(Flight flight) {
    return flight.after == Lane.NONE ? null : flights[flight.after];
  }

  /** The flight that this token was given to, or null if it has ended or never was. */
  @Nullable Flight find(long token) {
    int slot = PieceToken.slot(token);
    if (slot >= flights.length) {
      return null;
    }
    Flight flight = flights[slot];
    return flight.owns(token) ? flight : null;
  }

  private void growFree(int from, int to) {
    free = Arrays.copyOf(free, to);
    for (int slot = to - 1; slot >= from; slot--) {
      free[freeCount++] = slot;
    }
  }

  private static Flight[] newFlights(Flight[] old, int size) {
    Flight[] grown = Arrays.copyOf(old, size);
    for (int slot = old.length; slot < size; slot++) {
      grown[slot] = new Flight(slot);
    }
    return grown;
  }
}
