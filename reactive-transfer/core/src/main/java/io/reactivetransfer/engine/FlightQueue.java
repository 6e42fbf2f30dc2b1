package io.reactivetransfer.engine;

import org.jspecify.annotations.Nullable;

/** The flights to one peer that have pieces to post: a queue from whose middle one can leave. */
final class FlightQueue {

  private @Nullable Flight head;
  private @Nullable Flight tail;

  boolean isEmpty() {
    return head == null;
  }

  @Nullable Flight peek() {
    return head;
  }

  void add(Flight flight) {
    flight.queued = true;
    flight.following = null;
    flight.previous = tail;
    if (tail == null) {
      head = flight;
    } else {
      tail.following = flight;
    }
    tail = flight;
  }

  void remove(Flight flight) {
    if (!flight.queued) {
      return;
    }
    if (flight.previous == null) {
      head = flight.following;
    } else {
      flight.previous.following = flight.following;
    }
    if (flight.following == null) {
      tail = flight.previous;
    } else {
      flight.following.previous = flight.previous;
    }
    flight.previous = null;
    flight.following = null;
    flight.queued = false;
  }

  /** Lets the others go first. */
  void rotate(Flight flight) {
    if (flight != tail) {
      remove(flight);
      add(flight);
    }
  }
}
