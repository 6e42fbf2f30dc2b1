package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.Clock;
import io.reactivetransfer.simulation.Referee;
import java.util.function.Predicate;

/** The end of a run: all orders end, all pages come back, and everything is closed. */
final class KvFinale {

  private static final long SECOND = 1_000_000_000;

  /** As long as an order may wait, with what comes behind it: some answers are asked for again. */
  private static final long PATIENCE_NANOS = 12 * SECOND;

  /** By then those are open that were started last, and those are awake that stood still. */
  private static final long RESTART_NANOS = 10_000_000;

  private static final int EVENTS_BETWEEN_LOOKS = 64;
  private static final int MAX_EVENTS = 2_000_000;

  private final KvWorld world;
  private final Referee referee;
  private final Clock clock;

  KvFinale(KvWorld world, Clock clock) {
    this.world = world;
    this.referee = world.referee();
    this.clock = clock;
  }

  void play() {
    long now = referee.nanos();
    long stops = world.nodes().stream().mapToLong(KvNode::goesOnNanos).max().orElse(0) - now;
    clock.run(Math.max(stops, 0) + RESTART_NANOS);
    referee.note(-1, "finale", 0);
    letEnd(
        PATIENCE_NANOS,
        world ->
            world.trips().stream().allMatch(Trip::isOver)
                && world.routed().stream().allMatch(RoutedTrip::isOver));
    world.nodes().forEach(node -> node.decodings().forEach(Decoding::giveUp));
    world.routed().forEach(trip -> referee.require(trip.isOver(), trip + " never ended"));
    world.trips().forEach(this::requireOver);
    world.nodes().forEach(this::requireAllPages);
    requireNothingForTheLost();
    closeRoles();
    closeEngines();
  }

  private boolean isOver() {
    return referee.violation() != null;
  }

  private void letEnd(long patienceNanos, Predicate<KvWorld> hasEnded) {
    long until = referee.nanos() + patienceNanos;
    while (!isOver() && referee.nanos() < until && !hasEnded.test(world)) {
      if (!clock.runEvents(EVENTS_BETWEEN_LOOKS)) {
        return;
      }
    }
  }

  private void requireOver(Trip trip) {
    referee.require(trip.isOver() || trip.isEnded(), trip + " never ended");
    referee.require(trip.isOver(), "the pages of " + trip + " never came back");
  }

  private void requireAllPages(KvNode node) {
    if (!node.isUp()) {
      return;
    }
    for (Decoding decoding : node.decodings()) {
      for (Land land : decoding.lands()) {
        referee.require(land.free() == land.layout.pages(), land + " lacks pages: " + land.taken());
      }
    }
  }

  /**
   * What was registered for those who are lost is closed, whether an order ran with them or not.
   */
  private void requireNothingForTheLost() {
    letEnd(SECOND, world -> world.nodes().stream().noneMatch(KvFinale::hasTooMuch));
    for (KvNode node : world.nodes()) {
      referee.require(!hasTooMuch(node), node + " has memory registered for nodes that are lost");
    }
  }

  private static boolean hasTooMuch(KvNode node) {
    TransferEngine engine = node.engine();
    if (!node.isUp() || engine == null) {
      return false;
    }
    int most = node.decodings().stream().mapToInt(Decoding::mostRegistrations).sum();
    return engine.stats().openRegions() > node.regions() + most;
  }

  /** Then nothing is left of all that was done. */
  private void closeRoles() {
    world.nodes().forEach(node -> node.act(0, node::disposeRoles));
    letEnd(PATIENCE_NANOS, this::allWaitersOver);
    requireWaitersOver();
    clock.run(RESTART_NANOS); // registrations are closed behind the last order
    for (KvNode node : world.nodes()) {
      TransferEngine engine = node.engine();
      if (!isOver() && node.isUp() && engine != null) {
        EngineStats stats = engine.stats();
        referee.require(
            stats.pendingClaims() == 0
                && stats.openLeases() == 0
                && stats.openRegions() == node.regions(),
            node + " has closed its roles, and has " + stats);
      }
    }
  }

  private boolean allWaitersOver(KvWorld any) {
    return world.waiters().stream().allMatch(Waiter::isOver)
        && world.nodes().stream().noneMatch(KvNode::isOpen);
  }

  private void requireWaitersOver() {
    for (Waiter waiter : world.waiters()) {
      referee.require(waiter.isOver(), waiter + " never ended");
    }
  }

  private void closeEngines() {
    for (KvNode node : world.nodes()) {
      if (!node.isKilled()) {
        node.act(0, node::close);
      }
    }
    if (!clock.runOut(MAX_EVENTS)) {
      referee.violated("something goes on for ever after all engines were closed");
    }
    requireWaitersOver();
    for (KvNode node : world.nodes()) {
      referee.require(
          node.isKilled() || node.scheduler().liveWorkers() == 0,
          node + " is closed, and uses the signal scheduler");
    }
    referee.require(
        world.network().openControls() == 0 && world.network().openNics() == 0,
        "something is open, and all engines are closed");
  }
}
