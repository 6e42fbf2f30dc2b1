package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.network.VirtualTime;
import org.jspecify.annotations.Nullable;

/**
 * Notes what happens, and the first thing that must not. It does not throw: much of what it sees
 * happens within the engine, which would take an exception for a fault of its own.
 */
public final class Referee {

  private final VirtualTime time;
  private final Trace trace = new Trace();
  private @Nullable String violation;

  /** Of a run on this time. */
  public Referee(VirtualTime time) {
    this.time = time;
  }

  /** Something happened on this engine, or on the network if it is below 0. */
  public void note(int node, String what, long detail) {
    trace.add(time.nanos(), node, what, detail);
  }

  /** A rule does not hold. */
  public void violated(String rule) {
    if (violation == null) {
      violation = rule;
      note(-1, "VIOLATION", 0);
    }
  }

  /** A rule must hold. */
  public void require(boolean holds, String rule) {
    if (!holds) {
      violated(rule);
    }
  }

  /** The first rule that did not hold, or null. */
  public @Nullable String violation() {
    return violation;
  }

  /** What happened. */
  public Trace trace() {
    return trace;
  }

  /** The present, in virtual time. */
  public long nanos() {
    return time.nanos();
  }
}
