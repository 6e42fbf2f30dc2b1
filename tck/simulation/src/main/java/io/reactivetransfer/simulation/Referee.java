package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.network.VirtualTime;
import org.jspecify.annotations.Nullable;

/**
 * Notes what happens, and the first thing that must not. It does not throw: much of what it sees
 * happens within the engine, which would take an exception for a fault of its own.
 */
final class Referee {

  private final VirtualTime time;
  private final Trace trace = new Trace();
  private @Nullable String violation;

  Referee(VirtualTime time) {
    this.time = time;
  }

  /** Something happened on this engine, or on the network if it is below 0. */
  void note(int node, String what, long detail) {
    trace.add(time.nanos(), node, what, detail);
  }

  /** A rule does not hold. */
  void violated(String rule) {
    if (violation == null) {
      violation = rule;
      note(-1, "VIOLATION", 0);
    }
  }

  /** A rule must hold. */
  void require(boolean holds, String rule) {
    if (!holds) {
      violated(rule);
    }
  }

  @Nullable String violation() {
    return violation;
  }

  Trace trace() {
    return trace;
  }

  long nanos() {
    return time.nanos();
  }
}
