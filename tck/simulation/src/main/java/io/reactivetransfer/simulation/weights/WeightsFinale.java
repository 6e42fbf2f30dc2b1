package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.EngineStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.Clock;
import io.reactivetransfer.simulation.Referee;
import io.reactivetransfer.weights.version.RankState;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run, when all goes well: nobody waits any more, an update in each way flips on all
 * ranks, and everything is closed.
 */
final class WeightsFinale {

  private static final long MILLI = 1_000_000;
  private static final long PATIENCE_NANOS = 2_000 * MILLI;

  /** By then those are open that were started last, and those are awake that stood still. */
  private static final long RESTART_NANOS = 10 * MILLI;

  private static final long DEADLINE_NANOS = 10_000 * MILLI;
  private static final int TRIES = 20;
  private static final int EVENTS_BETWEEN_LOOKS = 16;
  private static final int MAX_EVENTS = 2_000_000;

  private final WeightsWorld world;
  private final Referee referee;
  private final Clock clock;
  private final SplittableRandom random;
  private @Nullable Steering inCharge;

  WeightsFinale(WeightsWorld world, Clock clock, SplittableRandom random) {
    this.world = world;
    this.referee = world.referee();
    this.clock = clock;
    this.random = random;
  }

  void play() {
    world.laboratory().disarm();
    long stops =
        world.nodes().stream().mapToLong(WeightsNode::goesOnNanos).max().orElse(0)
            - referee.nanos();
    clock.run(Math.max(stops, 0) + RESTART_NANOS);
    referee.note(-1, "finale", 0);
    letEnd(() -> world.nodes().stream().allMatch(node -> node.isUp() || node.isGone()));
    world.complete();
    letEnd(this::allThere);
    letEnd(() ->
        world.laboratory().attempts().stream().allMatch(Attempt::isOver)
            && !world.laboratory().isStepping());
    referee.require(!world.laboratory().isStepping(), "a trainer never gets quiet");
    recover();
    requireAllOrNone();
    for (UpdateMode mode : UpdateMode.values()) {
      if (world.forecast().twoBuffers() || mode == UpdateMode.IN_PLACE) {
        update(mode);
      }
    }
    closeRoles();
    closeEngines();
  }

  private boolean isOver() {
    return referee.violation() != null;
  }

  private void letEnd(BooleanSupplier hasEnded) {
    long until = referee.nanos() + PATIENCE_NANOS;
    while (!isOver() && referee.nanos() < until && !hasEnded.getAsBoolean()) {
      if (!clock.runEvents(EVENTS_BETWEEN_LOOKS)) {
        return;
      }
    }
  }

  /** Whether each process is there and serves what it is for. */
  private boolean allThere() {
    return world.nodes().stream()
        .allMatch(node -> node.isGone() || (node.isUp() && node.role().isReady()));
  }

  private void recover() {
    UpdateResult result =
        tryUntil(
            UpdateResult.Decision.RECOVERED,
            steering -> world.laboratory().recover(steering, DEADLINE_NANOS));
    for (Serving serving : world.laboratory().living().values()) {
      Life life = serving.life();
      RankState state = life == null ? null : life.rank.status().state();
      referee.require(
          state != RankState.UNDECIDED && state != RankState.PAUSED,
          serving + " waits after a recovery: " + state + ", " + result);
    }
  }

  /** Nobody who lives has kept what another one has flipped from. */
  private void requireAllOrNone() {
    for (Attempt attempt : world.laboratory().attempts()) {
      List<Life> living =
          attempt.members().values().stream().filter(life -> !life.isOver()).toList();
      long flipped = living.stream().filter(life -> life.hasFlipped(attempt.update())).count();
      referee.require(
          flipped == 0 || flipped == living.size(),
          attempt + " has flipped at " + flipped + " of " + living);
      UpdateResult result = attempt.result();
      referee.require(
          result == null || !result.isFlipped() || flipped == living.size(),
          attempt + " was decided on, and has flipped at " + flipped + " of " + living);
    }
  }

  private void update(UpdateMode mode) {
    boolean[] stepped = new boolean[1];
    if (!isOver()) {
      world.laboratory().step(() -> stepped[0] = true);
      letEnd(() -> stepped[0]);
      referee.require(stepped[0], "a trainer never gets quiet");
    }
    Map<String, Serving> all = world.laboratory().living();
    referee.require(
        isOver() || all.size() == world.model().targets().size(), "a rank is missing: " + all);
    tryUntil(
        UpdateResult.Decision.FLIPPED,
        steering -> world.laboratory().update(steering, mode, DEADLINE_NANOS, all, random));
    for (Serving serving : all.values()) {
      Life life = serving.life();
      if (!isOver() && life != null) {
        referee.require(
            life.rank.status().state() == RankState.SERVING
                && life.rank.status().version() == world.laboratory().version(),
            serving + " serves nothing of it: " + life.rank.status());
      }
    }
  }

  private interface Beginning {
    void with(Steering steering);
  }

  private @Nullable UpdateResult tryUntil(UpdateResult.Decision wanted, Beginning beginning) {
    UpdateResult result = null;
    for (int i = 0; i < TRIES && !isOver(); i++) {
      Steering steering = inCharge;
      if (steering == null || wanted == UpdateResult.Decision.RECOVERED) {
        steering = WeightsActs.role(world, Steering.class, random);
        inCharge = steering;
      }
      if (steering == null) {
        referee.violated("no controller is up");
        return null;
      }
      int before = world.laboratory().attempts().size();
      beginning.with(steering);
      letEnd(() -> world.laboratory().attempts().size() > before);
      if (world.laboratory().attempts().size() <= before) {
        continue;
      }
      Attempt attempt = world.laboratory().attempts().get(before);
      letEnd(attempt::isOver);
      result = attempt.result();
      if (result != null && result.decision() == wanted && result.isConfirmed()) {
        return result;
      }
      if (wanted != UpdateResult.Decision.RECOVERED) {
        recover();
      }
      clock.run(RESTART_NANOS);
    }
    referee.require(false, "in " + TRIES + " tries nothing came to " + wanted + ": " + result);
    return null;
  }

  /** Then nothing is left of all that was done. */
  private void closeRoles() {
    world.nodes().forEach(node -> node.act(0, node::retire));
    letEnd(() ->
        world.waiters().stream().allMatch(Waiter::isOver)
            && world.nodes().stream().allMatch(node -> !node.isUp() || node.role().isRetired()));
    requireWaitersOver();
    for (WeightsNode node : world.nodes()) {
      TransferEngine engine = node.engine();
      if (!isOver() && node.isUp() && engine != null) {
        EngineStats stats = engine.stats();
        referee.require(node.role().isRetired(), node + " is not closed");
        referee.require(
            stats.pendingClaims() == 0
                && stats.openLeases() == 0
                && stats.openRegions() == node.role().regions(),
            node + " has closed all, and has " + stats);
      }
    }
  }

  private void requireWaitersOver() {
    for (Waiter<?> waiter : world.waiters()) {
      referee.require(waiter.isOver(), waiter + " never ended");
    }
  }

  private void closeEngines() {
    for (WeightsNode node : world.nodes()) {
      if (!node.isKilled()) {
        node.act(0, node::close);
      }
    }
    if (!clock.runOut(MAX_EVENTS)) {
      referee.violated("something goes on for ever after all engines were closed");
    }
    requireWaitersOver();
    for (WeightsNode node : world.nodes()) {
      referee.require(
          node.isKilled() || node.scheduler().liveWorkers() == 0,
          node + " is closed, and uses the signal scheduler");
    }
    referee.require(
        world.network().openControls() == 0 && world.network().openNics() == 0,
        "something is open, and all engines are closed");
  }
}
