package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.base.Traffic;
import org.jspecify.annotations.Nullable;

/**
 * The flights to one peer that have pieces to post. Those of one stream wait in its lane, in order,
 * so that the first one ends first, and does not share what the NICs take with all behind it. The
 * lanes take turns: a small write waits for one flight of each other stream, not for all that these
 * have handed over. A flight can leave from anywhere.
 */
final class FlightQueue {

  private final Traffic traffic;
  private final Timers timers;

  /** Whose turn it is, in a ring with the others. */
  private @Nullable Lane turn;

  FlightQueue(Traffic traffic, Timers timers) {
    this.traffic = traffic;
    this.timers = timers;
  }

  boolean isEmpty() {
    return turn == null;
  }

  @Nullable Flight peek() {
    return turn == null ? null : turn.head;
  }

  /** Has a new one wait, behind the others of its stream. */
  void add(Flight flight) {
    enter(flight);
    Lane lane = flight.lane();
    flight.ahead = lane.tail;
    if (lane.tail == null) {
      lane.head = flight;
    } else {
      lane.tail.behind = flight;
    }
    lane.tail = flight;
  }

  /** Has one wait again that has posted something before: it goes ahead of its stream. */
  void resume(Flight flight) {
    enter(flight);
    Lane lane = flight.lane();
    flight.behind = lane.head;
    if (lane.head == null) {
      lane.tail = flight;
    } else {
      lane.head.ahead = flight;
    }
    lane.head = flight;
  }

  private void enter(Flight flight) {
    assert !flight.queued;
    flight.queued = true;
    flight.queuedNanos = timers.turnNanos();
    traffic.queued();
    if (flight.lane().head == null) {
      begin(flight.lane());
    }
  }

  void remove(Flight flight) {
    if (flight.queued) {
      Lane lane = flight.lane();
      flight.queued = false;
      traffic.dequeued(timers.turnNanos() - flight.queuedNanos);
      unlink(lane, flight);
      if (lane.head == null) {
        end(lane);
      }
    }
  }

  /** It is the turn of the next stream. */
  void nextTurn() {
    turn = turn == null ? null : turn.next;
  }

  private void begin(Lane lane) {
    if (turn == null) {
      lane.previous = lane;
      lane.next = lane;
      turn = lane;
    } else {
      lane.previous = turn.previous;
      lane.next = turn;
      turn.previous.next = lane;
      turn.previous = lane;
    }
  }

  private void end(Lane lane) {
    if (lane.next == lane) {
      turn = null;
    } else {
      lane.previous.next = lane.next;
      lane.next.previous = lane.previous;
      turn = turn == lane ? lane.next : turn;
    }
    lane.previous = lane;
    lane.next = lane;
  }

  private static void unlink(Lane lane, Flight flight) {
    if (flight.ahead == null) {
      lane.head = flight.behind;
    } else {
      flight.ahead.behind = flight.behind;
    }
    if (flight.behind == null) {
      lane.tail = flight.ahead;
    } else {
      flight.behind.ahead = flight.ahead;
    }
    flight.ahead = null;
    flight.behind = null;
  }
}
