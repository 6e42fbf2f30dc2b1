package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.SimulatedStepsTest.Fault;
import io.reactivetransfer.moe.SimulatedWorld.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens to a rank within a step, those that are left go on as a group of a later epoch,
 * in the same memory, while writes of the earlier one are still on their way; and then with another
 * rank. The steps of each epoch are exact.
 */
class SimulatedRegroupTest {

  private static final long SEED = Seeds.first(20_261_133);
  private static final int SEEDS =
      Integer.getInteger(
          "reactivetransfer.moe.seeds", 20 * Integer.getInteger("reactivetransfer.rounds", 1));

  /** One world; throws an AssertionError if anything is not as it has to be. */
  static void run(long seed, UnaryOperator<TransferEngine> mistake) {
    RandomSteps random = new RandomSteps(seed);
    int ranks = random.chance(5) ? random.between(7, 16) : random.between(2, 6);
    List<MoeShape> shapes = new ArrayList<>();
    long bytes = 1;
    for (int of : new int[] {ranks, ranks - 1, ranks}) {
      MoeShape shape = random.shape(of).lanes(random.between(1, 3)).build();
      shapes.add(shape);
      for (int rank = 0; rank < of; rank++) {
        bytes = Math.max(bytes, shape.memory(rank).bytes());
      }
    }
    Trespass trespass = new Trespass();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random,
            shapes.get(0),
            bytes,
            SimulatedWorld.late(random),
            trespass,
            trespass.watching(mistake))) {
      SimulatedSteps first = new SimulatedSteps(world, random, random.between(2, 6));
      int victim = random.between(0, ranks - 1);
      Fault fault = Fault.values()[random.between(0, Fault.values().length - 1)];
      first.start();
      world.runFor(random.between(1, 4_000_000));
      SimulatedStepsTest.happen(world, first, fault, victim);

      // Each regroups as soon as its own steps have ended, whatever others still do.
      int[] left = shuffled(random, IntStream.range(0, ranks).filter(i -> i != victim).toArray());
      Map<Integer, MoeGroup> groups = new HashMap<>();
      List<Outcome<MoeGroup>> joining = new ArrayList<>();
      for (int rank = 0; rank < left.length; rank++) {
        int engine = left[rank];
        world.runUntil(() -> first.areOver(engine) || first.wrong != null);
        joining.add(world.regroup(random, world.groups.get(engine), 1, shapes.get(1), left, rank));
      }
      List<MoeGroup> second = joined(world, joining, fault + " of rank " + victim);
      doSteps(world, second, left, random);
      first.requireNothingComesLate();
      requireRight(first);

      for (int rank = 0; rank < left.length; rank++) {
        groups.put(left[rank], second.get(rank));
      }
      int other = another(world, random, fault, victim);
      if (other == victim) {
        groups.put(victim, world.groups.get(victim));
      }
      int[] all = shuffled(random, append(left, other));
      List<Outcome<MoeGroup>> again = new ArrayList<>();
      for (int rank = 0; rank < all.length; rank++) {
        MoeGroup group = groups.get(all[rank]);
        again.add(
            group == null
                ? world.join(random, 2, shapes.get(2), all, rank)
                : world.regroup(random, group, 2, shapes.get(2), all, rank));
      }
      List<MoeGroup> third = joined(world, again, "a rank that comes");
      doSteps(world, third, all, random);
      if (mistake != Mistake.KEEPS_MEMORY) { // which is to be found by what comes of it
        for (int rank = 0; rank < all.length; rank++) {
          requireNothingLeft(world, third.get(rank), all[rank]);
        }
      }
      if (trespass.seen != null) {
        throw trespass.seen;
      }
    }
  }

  /** The one that was killed is restarted where it was; who lives comes back; or another comes. */
  private static int another(SimulatedWorld world, RandomSteps random, Fault fault, int victim) {
    boolean lives = fault != Fault.KILL && fault != Fault.CLOSE_ENGINE;
    if (lives && random.chance(50)) {
      world.runUntil(() -> !world.processes.get(victim).isStopped());
      return victim;
    }
    return world.open(random, fault == Fault.KILL ? victim : world.engines.size());
  }

  private enum JoinFault {
    KILL,
    STOP,
    CLOSE_ENGINE,
    CLOSE_NODE,
    CANCEL
  }

  /** All regroup, and something happens to one of them meanwhile. */
  private static void runWithFaultInJoin(long seed) {
    RandomSteps random = new RandomSteps(seed);
    int ranks = random.between(2, 6);
    MoeShape shape = random.shape(ranks).build();
    MoeShape smaller = random.shape(ranks - 1).build();
    long bytes = 1;
    for (int rank = 0; rank < ranks; rank++) {
      bytes = Math.max(bytes, shape.memory(rank).bytes());
      bytes = Math.max(bytes, smaller.memory(Math.min(rank, ranks - 2)).bytes());
    }
    Trespass trespass = new Trespass();
    try (SimulatedWorld world =
        new SimulatedWorld(
            random,
            shape,
            bytes,
            SimulatedWorld.late(random),
            trespass,
            trespass.watching(engine -> engine))) {
      int[] all = shuffled(random, IntStream.range(0, ranks).toArray());
      List<Outcome<MoeGroup>> joining = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        joining.add(world.regroup(random, world.groups.get(all[rank]), 1, shape, all, rank));
      }
      int victim = random.between(0, ranks - 1);
      JoinFault fault = JoinFault.values()[random.between(0, JoinFault.values().length - 1)];
      world.runFor(random.between(1, 3_000_000));
      happen(world, fault, all[victim], joining.get(victim));

      int[] left = IntStream.range(0, ranks).filter(rank -> rank != victim).toArray();
      List<Outcome<MoeGroup>> again = new ArrayList<>();
      int[] members = Arrays.stream(left).map(rank -> all[rank]).toArray();
      for (int rank = 0; rank < left.length; rank++) {
        Outcome<MoeGroup> outcome = joining.get(left[rank]);
        world.runUntil(outcome::isOver);
        if (outcome.failure != null) {
          assertThat(outcome.failure).isInstanceOf(GroupFailedException.class);
          // Or it came so late that it was told of no more than that the others go on.
          if (!outcome.failure.getMessage().contains(": expected epoch ")) {
            assertThat(((GroupFailedException) outcome.failure).rank())
                .as("%s of rank %s, at rank %s: %s", fault, victim, left[rank], outcome.failure)
                .hasValue(victim);
          }
        }
        again.add(
            outcome.hasValue()
                ? world.regroup(random, outcome.value(), 2, smaller, members, rank)
                : world.join(random, 2, smaller, members, rank));
      }
      List<MoeGroup> last = joined(world, again, fault + " of rank " + victim);
      doSteps(world, last, members, random);
      for (int rank = 0; rank < members.length; rank++) {
        assertThat(joining.get(left[rank]).ends).isEqualTo(1);
        requireNothingLeft(world, last.get(rank), members[rank]);
      }
      if (fault == JoinFault.CANCEL && !joining.get(victim).isOver()) {
        world.runFor(SimulatedWorld.JOIN_DEADLINE.toNanos());
        assertThat(world.engines.get(all[victim]).stats().openRegions()).isZero();
      }
      if (trespass.seen != null) {
        throw trespass.seen;
      }
    }
  }

  private static void happen(
      SimulatedWorld world, JoinFault fault, int engine, Outcome<MoeGroup> joining) {
    switch (fault) {
      case KILL -> {
        world.processes.get(engine).kill();
        world.network.kill(world.engines.get(engine).id());
      }
      case STOP -> world.processes.get(engine).stop();
      case CLOSE_ENGINE -> world.start(engine, 0, world.engines.get(engine).close());
      case CLOSE_NODE -> world.start(engine, 0, world.nodes.get(engine).close());
      case CANCEL -> world.processes.get(engine).execute(joining::cancel, 0);
    }
  }

  private static int[] shuffled(RandomSteps random, int[] engines) {
    int[] order = random.some(engines.length, engines.length);
    return Arrays.stream(order).map(i -> engines[i]).toArray();
  }

  private static int[] append(int[] engines, int other) {
    int[] more = Arrays.copyOf(engines, engines.length + 1);
    more[engines.length] = other;
    return more;
  }

  private static List<MoeGroup> joined(
      SimulatedWorld world, List<Outcome<MoeGroup>> joining, String after) {
    world.runUntil(() -> joining.stream().allMatch(Outcome::isOver));
    List<MoeGroup> groups = new ArrayList<>();
    for (Outcome<MoeGroup> outcome : joining) {
      assertThat(outcome.failure).as("regrouping after %s", after).isNull();
      assertThat(outcome.ends).isEqualTo(1);
      groups.add(outcome.value());
    }
    return groups;
  }

  private static void doSteps(
      SimulatedWorld world, List<MoeGroup> groups, int[] members, RandomSteps random) {
    SimulatedSteps steps = new SimulatedSteps(world, groups, members, random, random.between(2, 6));
    steps.start();
    world.runUntil(() -> steps.areAllOver() || steps.wrong != null);
    requireRight(steps);
    steps.outcomes.forEach(ofRank -> ofRank.forEach(Outcome::value));
    steps.requireSameRefusals();
  }

  private static void requireRight(SimulatedSteps steps) {
    if (steps.wrong != null) {
      throw steps.wrong;
    }
  }

  private static void requireNothingLeft(SimulatedWorld world, MoeGroup group, int engine) {
    Outcome<Void> closed = world.start(engine, 0, group.close());
    world.runUntil(closed::isOver);
    closed.value();
    world.closeTokens(engine);
    world.runFor(1_000_000);
    assertThat(world.engines.get(engine).stats().openRegions()).isZero();
    assertThat(world.engines.get(engine).stats().openLeases()).isZero();
  }

  @Test
  void whateverHappensWhileRanksRegroupAllOthersAreToldOnceAndGoOn() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "fault in a join", () -> runWithFaultInJoin(seed));
    }
  }

  @Test
  void thoseThatAreLeftGoOnExactlyAndSoDoThoseThatCome() {
    for (int i = 0; i < SEEDS; i++) {
      long seed = SEED + i;
      StepsTest.seeded(seed, "regroup", () -> run(seed, engine -> engine));
    }
  }
}
