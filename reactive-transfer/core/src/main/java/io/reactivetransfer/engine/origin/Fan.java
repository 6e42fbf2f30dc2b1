package io.reactivetransfer.engine.origin;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.engine.base.NotClosed;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Joins the flights of one transfer that goes to several peers: it is done when all of them are.
 */
final class Fan {

  /** All that were begun; those that have ended belong to others by now. */
  private final List<Flight> flights;

  private int running;
  private @Nullable TransferException failure;
  private boolean done = true;
  private boolean anyDone;
  private boolean stopped;
  private @Nullable Step step;
  private @Nullable NotClosed notClosed;

  /** Whose part is done, and counted there. */
  private List<Outbound> counted = List.of();

  Fan(int flights) {
    this.running = flights;
    this.flights = new ArrayList<>(flights);
  }

  /** Another one is begun. */
  void add(Flight flight) {
    flight.join(this);
    flights.add(flight);
  }

  /** Those that are on their way, or are over and have yet to end. */
  Stream<Flight> flights() {
    return flights.stream().filter(flight -> equals(flight.fan));
  }

  /** Notes the end of one flight; says whether it was the last. */
  boolean ended(@Nullable TransferException failure, boolean done) {
    this.done &= done;
    anyDone |= done;
    if (this.failure == null) {
      this.failure = failure;
    }
    return --running == 0;
  }

  /** So many flights were not begun, because the NIC broke down under one before them. */
  void neverBegun(int flights) {
    running -= flights;
    done &= flights == 0;
  }

  /** Whether this is the first failure, for which the rest is to be stopped. */
  boolean stopsRest() {
    boolean first = !stopped;
    stopped = true;
    return first;
  }

  /** A part is done, and counted. */
  void counted(Outbound peer) {
    if (counted.isEmpty()) {
      counted = new ArrayList<>();
    }
    counted.add(peer);
  }

  List<Outbound> counted() {
    return counted;
  }

  /** What goes wrong with it, where its failure is no one else's. */
  Step step() {
    if (step == null) {
      step = new Step();
    }
    return step;
  }

  /** Whether every flight reached its target. */
  boolean isDone() {
    return done;
  }

  /** Whether some flights reached their targets, and others did not. */
  boolean isPartDone() {
    return anyDone && !done;
  }

  /** A NIC that has parts of it cannot be closed: its failure is to say so, too. */
  void notQuiet(NotClosed nics) {
    notClosed = nics;
  }

  @Nullable TransferException failure() {
    return failure == null || notClosed == null ? failure : notClosed.after(failure);
  }
}
