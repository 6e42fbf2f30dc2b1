package io.reactivetransfer.engine.origin;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.peers.Liveness;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Stops what is not done in time: posts nothing more of it; what is out is waited for, for as long
 * as a peer may be silent. A peer may be heard and its writes be stuck all the same, where it has
 * several NICs, or its network loses what is large. Time in which this process itself stood still
 * says nothing of them. Given up are the ways that are stuck, as far as {@link Ways} knows which.
 *
 * <p>Each lane is looked at when the first of its flights is due, and none of the others. Its
 * flights have the same time and begin one after another, so only the first ones are looked at. A
 * lane whose flights are done in time has a look planned all the same, once in that time, and finds
 * nothing. Belongs to the NIC thread.
 */
public final class DeadlineSweep {

  /** A deadline is kept to a sixteenth of itself, within these bounds. */
  private static final long LOOKS_PER_DEADLINE = 16;

  private static final long SHORTEST_NANOS = 1_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;

  private final Timers timers;
  private final FlightControl flights;
  private final FlightTable table;
  private final long graceNanos;

  // of the look that is under way
  private long lookedAt;
  private long stoodStillNanos;
  private boolean anyLeft;
  private long firstDue;

  /** Peers whose stuck ways are to be given up when all looks of this moment are done. */
  private final Set<Outbound> stuck = new LinkedHashSet<>();

  public DeadlineSweep(FlightControl flights, FlightTable table, Timers timers, Duration grace) {
    this.table = table;
    this.timers = timers;
    this.flights = flights;
    this.graceNanos = grace.toNanos();
  }

  /** A flight of this lane has begun that must be over by then. */
  void launched(Lane lane, long deadlineNanos) {
    if (lane.look == null || deadlineNanos - lane.lookAt < 0) {
      plan(lane, deadlineNanos);
    }
  }

  private void plan(Lane lane, long due) {
    if (lane.look != null) {
      timers.cancel(lane.look);
    }
    lane.lookAt = due;
    lane.look = timers.at(due, lane.lookWith(this));
  }

  /** The look that was planned at a lane. */
  void look(Lane lane) {
    lane.look = null;
    Flight flight = table.first(lane);
    if (flight == null) {
      restIfIdle();
      return;
    }
    lookedAt = timers.turnNanos();
    long late = lookedAt - lane.lookAt;
    stoodStillNanos = late > shareOfGrace() ? late : 0;
    anyLeft = false;
    while (flight != null && (flight.isOver() || lookAt(flight))) {
      flight = table.after(flight);
    }
    if (anyLeft) {
      long often =
          Math.clamp(lane.deadlineNanos() / LOOKS_PER_DEADLINE, SHORTEST_NANOS, LONGEST_NANOS);
      plan(lane, later(firstDue, lookedAt + often));
    }
  }

  /** Nothing is in flight: what is planned for lanes that have ended would wake an idle engine. */
  private void restIfIdle() {
    if (table.inUse() == 0) {
      table.forEachUnused(lane -> {
        if (lane.look != null) {
          timers.cancel(lane.look);
          lane.look = null;
        }
      });
    }
  }

  private void giveUpStuck() {
    String text =
        "writes were out for "
            + Deadlines.text(graceNanos)
            + " (livenessDeadline) after the end of their time";
    List<Outbound> peers = List.copyOf(stuck);
    stuck.clear();
    peers.forEach(peer -> {
      int ways = peer.ways.giveUp(lookedAt, graceNanos);
      peer.link.disconnect(ways, text);
      peer.link.askForFences(ways);
    });
  }

  /** Looks at one; returns false if those behind it, which began later, need no look. */
  private boolean lookAt(Flight flight) {
    if (!flight.isStopped()) {
      if (lookedAt - flight.deadlineNanos < 0) {
        left(flight.deadlineNanos);
        return false;
      }
      flight.to().ways.look(lookedAt, stoodStillNanos);
      flights.fail(flight, exceeded(flight));
      flight.deadlineNanos = lookedAt;
    } else {
      // While this process stood still, nobody could see that the write was done.
      flight.to().ways.look(lookedAt, stoodStillNanos);
      flight.deadlineNanos += stoodStillNanos;
      // Of what has nothing out, a lost way is yet to be shut, which has a limit of its own.
      if (flight.outstanding > 0 && lookedAt - flight.deadlineNanos >= graceNanos) {
        if (stuck.isEmpty()) {
          timers.at(lookedAt, this::giveUpStuck);
        }
        stuck.add(flight.to());
      }
    }
    left(lookedAt + shareOfGrace()); // soon, to know how long this process stands still
    return true;
  }

  private long shareOfGrace() {
    return Math.max(1, graceNanos / Liveness.ASKS_PER_DEADLINE);
  }

  /** It will have to be looked at again. */
  private void left(long due) {
    if (!anyLeft || due - firstDue < 0) {
      firstDue = due;
    }
    anyLeft = true;
  }

  private static DeadlineExceededException exceeded(Flight flight) {
    return new DeadlineExceededException(
        "a transfer to "
            + flight.peer()
            + " was not done within "
            + Deadlines.text(flight.submission().deadlineNanos())
            + "; "
            + flight.progress()
            + whyNotPosted(flight),
        Origin.peer(flight.peer().id()),
        null);
  }

  /** It may be that no NIC comes there, though the peer itself is heard. */
  private static String whyNotPosted(Flight flight) {
    boolean waits = flight.hasMore() || flight.mayStillArrive();
    String lost = waits ? flight.peer().lastWayLost() : null;
    return lost == null ? "" : "; the last way there that was lost: " + lost;
  }

  private static long later(long one, long other) {
    return one - other >= 0 ? one : other;
  }
}
