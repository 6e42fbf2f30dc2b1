package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.SimulatedWorld.Outcome;
import io.reactivetransfer.simulation.network.WireObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Whatever comes first on the network and however long anybody takes, steps are exact, and whatever
 * happens to a rank, all others are told.
 */
class SimulatedStepsTest {

  private static final long SEED = Seeds.first(20_261_129);
  private static final int SEEDS =
      Integer.getInteger(
          "reactivetransfer.moe.seeds", 20 * Integer.getInteger("reactivetransfer.rounds", 1));

  private static final int WORLDS = 50;

  /** One world without faults; throws an AssertionError if anything is not as it has to be. */
  static void calmRun(long seed, UnaryOperator<TransferEngine> mistake) {
    RandomSteps random = new RandomSteps(seed);
    int many = random.between(8, random.chance(10) ? 64 : 32);
    int ranks = random.chance(12) ? many : random.between(1, 7);
    MoeShape.Builder any = random.shape(ranks).lanes(ranks > 16 ? 1 : random.between(1, 3));
    MoeShape shape =
        random.chance(30) ? any.maxReceived(random.between(1, 30)).build() : any.build();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random, shape, SimulatedWorld.rough(random), new WireObserver() {}, mistake)) {
      SimulatedSteps steps =
          new SimulatedSteps(world, random, ranks > 7 ? 2 : random.between(2, 8));
      calmSteps(world, steps);
    }
  }

  private static void calmSteps(SimulatedWorld world, SimulatedSteps steps) {
    steps.start();
    world.runUntil(() -> steps.areAllOver() || steps.wrong != null);
    if (steps.wrong != null) {
      throw steps.wrong;
    }
    steps.outcomes.forEach(ofRank -> ofRank.forEach(Outcome::value));
    steps.requireSameRefusals();
    world.engines.forEach(engine -> {
      // Nothing was counted that nobody waited for, nor the other way round, in any step.
      assertThat(engine.stats().unclaimedImms()).isZero();
      assertThat(engine.stats().pendingClaims()).isZero();
      assertThat(engine.stats().transfersInFlight()).isZero();
    });
  }

  /** The same, where members of a group do not always begin with the same experts. */
  private static void disagreeingRun(long seed) {
    RandomSteps random = new RandomSteps(seed);
    int ranks = random.between(3, 7);
    RankGroups groups = random.groups(ranks);
    while (groups.groups() == ranks) {
      groups = random.groups(ranks);
    }
    MoeShape shape = random.shape(ranks).groups(groups).lanes(random.between(1, 3)).build();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random, shape, SimulatedWorld.rough(random), new WireObserver() {}, engine -> engine)) {
      int steps = random.between(2, 8);
      calmSteps(world, new SimulatedSteps(world, random, steps).disagreeing());
    }
  }

  @Test
  void stepsAreExactWhateverComesFirst() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "calm", () -> calmRun(seed, engine -> engine));
    }
  }

  /** Always the same worlds: what is found in them is found where NICs gather, too. */
  @Test
  void inManyWorldsNicsGatherTokensAndResults() {
    int tokens = 0;
    int results = 0;
    for (int seed = 0; seed < WORLDS; seed++) {
      Gatherings all = new Gatherings();
      calmRun(seed, all);
      tokens += all.tokens > 0 ? 1 : 0;
      results += all.results > 0 ? 1 : 0;
    }
    assertThat(tokens).as("worlds that gather tokens").isGreaterThan(WORLDS / 4);
    assertThat(results).as("worlds that gather results").isGreaterThan(WORLDS / 8);
  }

  @Test
  void membersThatDisagreeLeaveNothingBehind() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "disagreeing", () -> disagreeingRun(seed));
    }
  }

  enum Fault {
    KILL,
    STOP,
    CLOSE_ENGINE,
    CLOSE_GROUP,
    GIVE_UP,
    CANCEL,
    DO_NOTHING
  }

  /** What the weather adds to the time after which a fault is known to all. */
  private static final Duration WEATHER = Duration.ofMillis(500);

  /** How long after a fault all others must have been told, in quiet memory. */
  private static long withinNanos(Fault fault) {
    Duration known =
        fault == Fault.DO_NOTHING || fault == Fault.CANCEL // maybe between two halves
            ? SimulatedWorld.DEADLINE.plus(Lateness.PATIENCE)
            : SimulatedWorld.LIVENESS;
    return known.plus(WEATHER).toNanos();
  }

  static void faultyRun(long seed, UnaryOperator<TransferEngine> mistake) {
    RandomSteps random = new RandomSteps(seed);
    int ranks = random.chance(8) ? random.between(7, 24) : random.between(2, 6);
    MoeShape shape = random.shape(ranks).lanes(random.between(1, 3)).build();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random, shape, SimulatedWorld.rough(random), new WireObserver() {}, mistake)) {
      SimulatedSteps steps = new SimulatedSteps(world, random, random.between(2, 6));
      int victim = random.between(0, ranks - 1);
      Fault fault = Fault.values()[random.between(0, Fault.values().length - 1)];
      steps.start();
      world.runFor(random.between(1, 6_000_000));
      happen(world, steps, fault, victim);
      long happened = world.time.nanos();
      world.runUntil(() -> {
        for (int rank = 0; rank < ranks; rank++) {
          if (rank != victim && !steps.areOver(rank)) {
            return steps.wrong != null;
          }
        }
        return true;
      });
      if (steps.wrong != null) {
        throw steps.wrong;
      }
      for (int rank = 0; rank < ranks; rank++) {
        if (rank != victim) {
          for (Outcome<Void> outcome : steps.outcomes.get(rank)) {
            assertThat(outcome.ends).isEqualTo(1);
            if (outcome.failure != null) {
              assertThat(outcome.failure)
                  .as("%s of rank %s, at rank %s", fault, victim, rank)
                  .isInstanceOf(GroupFailedException.class);
              assertThat(((GroupFailedException) outcome.failure).rank())
                  .as("%s of rank %s, at rank %s: %s", fault, victim, rank, outcome.failure)
                  .hasValue(victim);
              assertThat(outcome.endNanos - happened)
                  .as("%s of rank %s, nanoseconds until rank %s was told", fault, victim, rank)
                  .isLessThanOrEqualTo(withinNanos(fault));
            }
          }
        }
      }
      closeAll(world, fault == Fault.CANCEL ? -1 : victim);
      steps.requireNothingComesLate();
    }
  }

  static void happen(SimulatedWorld world, SimulatedSteps steps, Fault fault, int victim) {
    MoeGroup group = world.groups.get(victim);
    switch (fault) {
      case KILL -> {
        world.processes.get(victim).kill();
        world.network.kill(world.engines.get(victim).id());
      }
      case STOP -> {
        world.processes.get(victim).stop();
        long nanos = 4 * SimulatedWorld.LIVENESS.toNanos();
        world.time.after(nanos, () -> world.processes.get(victim).resume());
      }
      case CLOSE_ENGINE -> world.start(victim, 0, world.engines.get(victim).close());
      case CLOSE_GROUP -> world.start(victim, 0, group.close());
      case GIVE_UP -> world.processes.get(victim).execute(() -> giveUp(group), 0);
      case CANCEL -> world.processes.get(victim).execute(() -> steps.cancel(victim), 0);
      case DO_NOTHING -> steps.idle(victim);
    }
  }

  private static void giveUp(MoeGroup group) {
    for (int lane = 0; lane < group.shape().lanes(); lane++) {
      MoeStep step = group.lane(lane).current();
      if (step != null) {
        step.giveUp("as the seed decides");
      }
    }
  }

  /** Whoever is left closes, and gets everything back. */
  private static void closeAll(SimulatedWorld world, int victim) {
    for (int rank = 0; rank < world.groups.size(); rank++) {
      if (rank != victim) {
        Outcome<Void> closed = world.start(rank, 0, world.groups.get(rank).close());
        world.runUntil(closed::isOver);
        closed.value();
        world.closeTokens(rank);
        // What nobody waits for any more is undone in its time, as a registration is.
        TransferEngine engine = world.engines.get(rank);
        world.runUntil(() -> engine.stats().openRegions() == 0);
        assertThat(world.engines.get(rank).stats().openLeases()).isZero();
      }
    }
  }

  /** Writes fail, links and sessions break: whoever is not told that it has failed has it right. */
  private static void stormyRun(long seed) {
    RandomSteps random = new RandomSteps(seed);
    int ranks = random.between(2, 5);
    MoeShape shape = random.shape(ranks).lanes(random.between(1, 2)).build();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random,
            shape,
            SimulatedWorld.stormy(random),
            new WireObserver() {},
            engine -> engine)) {
      SimulatedSteps steps = new SimulatedSteps(world, random, random.between(2, 6));
      steps.start();
      for (int breaks = random.between(0, 3); breaks > 0; breaks--) {
        world.runFor(random.between(1, 2_000_000));
        int[] two = random.some(ranks, 2);
        EngineId one = world.engines.get(two[0]).id();
        EngineId other = world.engines.get(two[1]).id();
        switch (random.between(0, 2)) {
          case 0 -> world.network.cut(one, other);
          case 1 -> world.network.cutControl(one, other, random.between(1, 2_000_000_000));
          default -> world.network.failNic(one, 0, random.between(1, 100_000_000));
        }
      }
      world.runUntil(() -> steps.areAllOver() || steps.wrong != null);
      if (steps.wrong != null) {
        throw steps.wrong;
      }
      for (List<Outcome<Void>> ofRank : steps.outcomes) {
        for (Outcome<Void> outcome : ofRank) {
          assertThat(outcome.ends).isEqualTo(1);
          if (outcome.failure != null) {
            assertThat(outcome.failure).isInstanceOf(GroupFailedException.class);
          }
        }
      }
      closeAll(world, -1);
      steps.requireNothingComesLate();
    }
  }

  @Test
  void whateverBreaksOnTheNetworkNobodyIsLeftWaitingOrWrong() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "stormy", () -> stormyRun(seed));
    }
  }

  @Test
  void whateverHappensToARankAllOthersEndWithItsNameInTimeAndInQuietMemory() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "faulty", () -> faultyRun(seed, engine -> engine));
    }
  }
}
