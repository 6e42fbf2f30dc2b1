package io.reactivetransfer.engine.origin;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.engine.base.Chain;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.PeerLink;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stops what is not done in time: posts nothing more of it; what is out is waited for, for as long
 * as a peer may be silent. A peer may be heard and its writes be stuck all the same, where it has
 * several NICs, or its network loses what is large. Time in which this process itself stood still
 * says nothing of them.
 *
 * <p>It looks when the first of those that are out is due, and never while nothing is out. Flights
 * of one submission have the same time and begin one after another, so of each only the first ones
 * are looked at. Belongs to the NIC thread.
 */
public final class DeadlineSweep {

  /** A deadline is kept to a sixteenth of itself, within these bounds. */
  private static final long LOOKS_PER_DEADLINE = 16;

  private static final long SHORTEST_NANOS = 1_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;

  private final Timers timers;
  private final Submissions submissions;
  private final FlightControl flights;
  private final FlightTable table;
  private final long graceNanos;
  private long lookedAt;
  private long plannedAt;
  private Timers.@Nullable Timer planned;

  // of the look that is under way
  private long stoodStillNanos;
  private final Set<PeerLink> stuck = new LinkedHashSet<>();
  private boolean anyLeft;
  private long firstDue;
  private long shortest;

  public DeadlineSweep(
      FlightControl flights,
      FlightTable table,
      Submissions submissions,
      Timers timers,
      Duration grace) {
    this.table = table;
    this.timers = timers;
    this.submissions = submissions;
    this.flights = flights;
    this.graceNanos = grace.toNanos();
    this.lookedAt = timers.now() - SHORTEST_NANOS;
  }

  /** A flight has begun that must be over by then. */
  void launched(long deadlineNanos) {
    if (planned == null || deadlineNanos - plannedAt < 0) {
      long due = later(deadlineNanos, lookedAt + SHORTEST_NANOS);
      if (planned == null || due - plannedAt < 0) {
        plan(due);
      }
    }
  }

  private void plan(long due) {
    if (planned != null) {
      timers.cancel(planned);
    }
    plannedAt = due;
    planned = timers.at(due, this::look);
  }

  private void look() {
    planned = null;
    lookedAt = timers.turnNanos();
    long late = lookedAt - plannedAt;
    stoodStillNanos = late > shareOfGrace() ? late : 0;
    anyLeft = false;
    shortest = LONGEST_NANOS * LOOKS_PER_DEADLINE;
    submissions.forEach(this::look);
    if (anyLeft) {
      long often = Math.clamp(shortest / LOOKS_PER_DEADLINE, SHORTEST_NANOS, LONGEST_NANOS);
      plan(later(firstDue, lookedAt + often));
    }
    if (!stuck.isEmpty()) {
      String text =
          "writes were out for "
              + Deadlines.text(graceNanos)
              + " (livenessDeadline) after the end of their time";
      stuck.forEach(peer -> {
        peer.disconnect(text);
        peer.askForFences();
      });
      stuck.clear();
    }
  }

  private void look(Submission<?, ?> submission) {
    Chain.Link<Lane> each = submission.lanes().first();
    for (; each != null; each = each.next()) {
      Flight flight = table.first(each.member());
      while (flight != null && (flight.isOver() || lookAt(flight))) {
        flight = table.after(flight);
      }
    }
  }

  /** Looks at one; returns false if those behind it, which began later, need no look. */
  private boolean lookAt(Flight flight) {
    if (!flight.isStopped()) {
      if (lookedAt - flight.deadlineNanos < 0) {
        left(flight, flight.deadlineNanos);
        return false;
      }
      flights.fail(flight, exceeded(flight));
      flight.deadlineNanos = lookedAt;
    } else {
      // While this process stood still, nobody could see that the write was done.
      flight.deadlineNanos += stoodStillNanos;
      if (lookedAt - flight.deadlineNanos >= graceNanos) {
        stuck.add(flight.peer());
      }
    }
    left(flight, lookedAt + shareOfGrace()); // soon, to know how long this process stands still
    return true;
  }

  private long shareOfGrace() {
    return Math.max(1, graceNanos / Liveness.ASKS_PER_DEADLINE);
  }

  /** It will have to be looked at again. */
  private void left(Flight flight, long due) {
    if (!anyLeft || due - firstDue < 0) {
      firstDue = due;
    }
    anyLeft = true;
    shortest = Math.min(shortest, flight.submission().deadlineNanos());
  }

  private static DeadlineExceededException exceeded(Flight flight) {
    return new DeadlineExceededException(
        "a transfer to "
            + flight.peer()
            + " was not done within "
            + Deadlines.text(flight.submission().deadlineNanos())
            + "; "
            + flight.progress(),
        Origin.peer(flight.peer().id()),
        null);
  }

  private static long later(long one, long other) {
    return one - other >= 0 ? one : other;
  }
}
