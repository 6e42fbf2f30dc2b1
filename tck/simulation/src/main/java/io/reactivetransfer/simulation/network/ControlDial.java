package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * The attempt of one process to make a session with an engine, or with whoever is at an address.
 * The process that is there must run to answer. Of two engines that dial each other at once, one
 * gives way.
 */
final class ControlDial {

  private static final long RETRANSMIT_NANOS = 1_000_000;

  private final SimulatedControl control;
  private final HostPort at;
  private final SimulatedNetwork network;
  private final @Nullable EngineId wanted;
  private final long token;
  private boolean isLost;
  private @Nullable SimulatedControl reached;

  /** Whether an answer is on its way that says no. */
  private boolean refused;

  private boolean over;

  /**
   * For someone.
   *
   * @param wanted the engine, or null for whoever is there
   * @param token to tell with who is there
   */
  ControlDial(SimulatedControl control, HostPort at, @Nullable EngineId wanted, long token) {
    this.control = control;
    this.at = at;
    this.network = control.network();
    this.wanted = wanted;
    this.token = token;
  }

  void begin() {
    network.time().after(control.latency(), this::arrive);
    network
        .time()
        .after(control.connectNanos(), () -> fail("no answer within the connect timeout"));
  }

  boolean wants(EngineId engine) {
    return engine.equals(wanted);
  }

  /** Whether a session with this engine is what it is for. */
  boolean isFor(EngineId engine) {
    return !over && !refused && (wanted == null || wanted.equals(engine));
  }

  HostPort at() {
    return at;
  }

  /** Whether the other end may answer it: not if it is lost, or went to who was there before. */
  @SuppressWarnings("ReferenceEquality") // the very same control channel
  boolean mayReach(SimulatedControl other) {
    return !isLost && (reached == null || reached == other);
  }

  // ---- at the other end ----

  private void arrive() {
    if (over) {
      return;
    }
    SimulatedControl target = network.control(at);
    boolean silent = Weather.happens(network.weather().silent(), network.random());
    if (target == null ? silent : network.isCutOff(control.engine(), target.engine())) {
      isLost = true;
      network.time().after(RETRANSMIT_NANOS, this::arrive);
    } else if (target == null) {
      refuse("connection refused");
    } else {
      reached = target;
      target.process().execute(() -> answer(target), 0);
    }
  }

  private void answer(SimulatedControl target) {
    if (over) {
      return; // it has hung up
    }
    if (target.isClosed() || target.equals(control) || !isFor(target.engine())) {
      String who = target.isClosed() ? "nobody" : "engine " + target.engine();
      refuse(who + " is there");
      return;
    }
    ControlEnd known = target.endTo(control.engine());
    if (known != null && known.isOpening()) {
      return; // another dial was answered, and its session serves this one, too
    }
    boolean crossing = target.dials(control);
    if (crossing && control.engine().compareTo(target.engine()) < 0) {
      return; // the other one's dial is the one that both wait for
    }
    ControlEnd.join(control, target);
  }

  private void refuse(String why) {
    refused = true;
    network.time().after(control.latency(), () -> fail(why));
  }

  // ---- its end ----

  /** There is a session, by this dial or by another one. */
  void joined(EngineId engine) {
    end();
    if (wanted == null) {
      control.report(new ControlReport.Found(control, token, engine));
    }
  }

  /** There is none, unless the other side has made one meanwhile. */
  void fail(String why) {
    if (over) {
      return;
    }
    SimulatedControl target = network.control(at);
    if (wanted == null && target != null && control.isInSessionWith(target.engine())) {
      joined(target.engine());
      return;
    }
    end();
    if (wanted == null) {
      control.report(new ControlReport.NotFound(token, why));
    } else if (!control.isInSessionWith(wanted)) {
      control.lost(wanted, why);
    }
  }

  /** Nobody waits for it any more. */
  void end() {
    over = true;
    control.dialled(this);
  }
}
