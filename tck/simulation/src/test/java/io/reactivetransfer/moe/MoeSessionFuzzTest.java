package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Target;
import io.reactivetransfer.moe.SimulatedWorld.Outcome;
import io.reactivetransfer.simulation.network.WireObserver;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Members of a live group, and somebody who is none, say to others what is well formed and not so:
 * of other ranks, lanes, steps and epochs, at any time. The group ends with a name, or goes on
 * exactly; nobody waits for ever, and nothing is left.
 */
@Timeout(7_200)
class MoeSessionFuzzTest {

  @Test
  void whateverIsSaidAGroupEndsWithANameOrGoesOnExactly() {
    Fuzz.run(Target.MOE_SESSION, in -> new Session(in, engine -> engine).run());
  }

  /** Shows that it can fail. */
  @Test
  void whoWaitsWithoutADeadlineIsFound() {
    assertThat(
            Fuzz.firstFailure(
                Target.MOE_SESSION,
                1,
                0,
                1_000,
                in -> new Session(in, Mistake.CLAIMS_WITHOUT_DEADLINE).run()))
        .isPresent();
  }

  private static final class Session {
    private final Input in;
    private final RandomSteps random;
    private final int ranks;
    private final UnaryOperator<TransferEngine> mistake;

    /** What was said so far that is so. */
    private final List<MoeMessage> said = new ArrayList<>();

    Session(Input in, UnaryOperator<TransferEngine> mistake) {
      this.in = in;
      this.random = new RandomSteps(in.anyLong());
      this.ranks = random.between(2, 4);
      this.mistake = mistake;
    }

    private TransferEngine listening(TransferEngine engine) {
      return Proxied.of(
          TransferEngine.class,
          engine,
          (method, arguments) -> {
            if (method.equals("send")) {
              said.add(MoeCodec.decode(((ByteBuffer) arguments[2]).duplicate()));
            }
            return null;
          });
    }

    void run() {
      MoeShape shape = random.shape(ranks).lanes(random.between(1, 2)).build();
      long bytes =
          IntStream.range(0, ranks).mapToLong(rank -> shape.memory(rank).bytes()).max().orElse(1);
      try (SimulatedWorld world =
          new SimulatedWorld(
              random,
              shape,
              bytes,
              SimulatedWorld.rough(random),
              new WireObserver() {},
              engine -> listening(mistake.apply(engine)))) {
        world.open(random, ranks);
        SimulatedSteps steps = new SimulatedSteps(world, random, random.between(1, 3));
        steps.start();
        say(world);
        requireEnded(world, steps);
        List<MoeGroup> groups = in.chance(50) ? regrouped(world, shape) : world.groups;
        requireNothingLeft(world, groups);
      }
    }

    /** All say that they go on as the next epoch, while more is said. */
    private List<MoeGroup> regrouped(SimulatedWorld world, MoeShape shape) {
      int[] members = IntStream.range(0, ranks).toArray();
      List<Outcome<MoeGroup>> joining = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        joining.add(world.regroup(random, world.groups.get(rank), 1, shape, members, rank));
      }
      say(world);
      world.runUntil(() -> joining.stream().allMatch(Outcome::isOver));
      List<MoeGroup> groups = new ArrayList<>();
      for (Outcome<MoeGroup> outcome : joining) {
        requireNamed(outcome);
        if (outcome.hasValue()) {
          groups.add(outcome.value());
        }
      }
      if (groups.size() == ranks) {
        SimulatedSteps steps = new SimulatedSteps(world, groups, members, random, 2);
        steps.start();
        requireEnded(world, steps);
      }
      return groups;
    }

    private void say(SimulatedWorld world) {
      for (int messages = in.between(1, 5); messages > 0; messages--) {
        world.runFor(in.between(1, 1_000_000));
        int from = in.below(world.engines.size());
        int to = in.below(ranks);
        if (from != to) {
          MoeMessage message = message();
          in.note(() -> from + " says to " + to + ": " + message);
          TransferEngine engine = world.engines.get(from);
          Peer peer = engine.peer(world.engines.get(to).address());
          world.start(from, 0, engine.send(peer, Mail.CHANNEL, MoeCodec.encode(message)));
          said.removeLast(); // which is not so
        }
      }
    }

    private MoeMessage message() {
      GroupEpoch group =
          new GroupEpoch(
              in.chance(95) ? "simulated" : "other", in.chance(80) ? in.below(2) : positive());
      List<MoeMessage.Join> joins =
          said.stream()
              .filter(MoeMessage.Join.class::isInstance)
              .map(MoeMessage.Join.class::cast)
              .toList();
      MoeMessage.Join join = in.oneOf(joins);
      return switch (in.below(5)) {
        case 0 ->
            new MoeMessage.Join(
                in.chance(50) ? join.group() : group,
                in.chance(50) ? join.rank() : rank(),
                in.chance(50),
                in.chance(80) ? join.digest() : in.anyLong(),
                in.chance(90) ? join.shape() : "another",
                in.chance(90) ? join.ranks() : "others",
                imm(join),
                in.chance(50) ? join.descriptor() : in.oneOf(joins).descriptor());
        case 1 ->
            new MoeMessage.GiveUp(
                group, rank() - 1, in.chance(50) ? MoeMessage.NOT_HEARD : imm(join), "a lie");
        case 2 -> {
          List<Long> steps = new ArrayList<>();
          for (int lanes = in.chance(80) ? in.between(1, 2) : lane() + 1; lanes > 0; lanes--) {
            steps.add(in.chance(50) ? in.below(5) : positive());
          }
          yield new MoeMessage.Leave(group, steps);
        }
        case 3 -> new MoeMessage.Ask(group, lane());
        default -> new MoeMessage.Tell(group, lane(), in.chance(50) ? in.below(20) : positive());
      };
    }

    private long positive() {
      return in.edge() & Long.MAX_VALUE;
    }

    private int rank() {
      return in.chance(80) ? in.below(ranks + 2) : in.below(ExpertPlacement.MAX_RANKS);
    }

    private int lane() {
      return in.chance(80) ? in.below(3) : in.below(MoeShape.MAX_LANES);
    }

    private int imm(MoeMessage.Join join) {
      int near = Math.clamp((long) join.imm() + in.between(-6, 6), 0, Imm.MAX_VALUE);
      return in.chance(50) ? join.imm() : in.chance(80) ? near : in.anyInt() & Imm.MAX_VALUE;
    }

    private static void requireEnded(SimulatedWorld world, SimulatedSteps steps) {
      world.runUntil(() -> steps.areAllOver() || steps.wrong != null);
      if (steps.wrong != null) {
        throw steps.wrong;
      }
      steps.outcomes.forEach(ofRank -> ofRank.forEach(Session::requireNamed));
      steps.requireNothingComesLate();
    }

    private static void requireNamed(Outcome<?> outcome) {
      assertThat(outcome.ends).isEqualTo(1);
      if (outcome.failure != null) {
        assertThat(outcome.failure).isInstanceOf(GroupFailedException.class);
        assertThat(outcome.failure).hasMessageNotContaining("a defect");
        assertThat(((GroupFailedException) outcome.failure).rank())
            .as("%s", outcome.failure)
            .isPresent();
      }
    }

    private static void requireNothingLeft(SimulatedWorld world, List<MoeGroup> groups) {
      List<Outcome<Void>> closing =
          world.nodes.stream()
              .map(node -> world.start(world.nodes.indexOf(node), 0, node.close()))
              .toList();
      world.runUntil(() -> closing.stream().allMatch(Outcome::isOver));
      closing.forEach(Outcome::value);
      IntStream.range(0, world.engines.size()).forEach(world::closeTokens);
      world.runFor(1_000_000);
      for (TransferEngine engine : world.engines) {
        assertThat(engine.stats().openRegions()).isZero();
        assertThat(engine.stats().openLeases()).isZero();
        assertThat(engine.stats().defects()).isZero();
      }
      assertThat(groups).allMatch(MoeGroup::isOver);
    }
  }
}
