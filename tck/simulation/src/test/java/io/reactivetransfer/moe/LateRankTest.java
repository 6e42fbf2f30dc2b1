package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.SimulatedWorld.Outcome;
import io.reactivetransfer.simulation.network.SimulatedProcess;
import io.reactivetransfer.simulation.network.VirtualScheduler;
import io.reactivetransfer.simulation.network.Weather;
import io.reactivetransfer.simulation.network.WireObserver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * Who does not do its part, although it lives, is named by all others when the deadline is over.
 */
class LateRankTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(3, 6), 2, 8, 24, 4).privateTokens(2).build();

  /** The ranks 0 and 1 do a step, and rank 2 does what it is told. */
  private static void late(String expected, Consumer<Late> partOfRank2) {
    late(0, expected, partOfRank2);
  }

  private static void late(int stepsBefore, String expected, Consumer<Late> partOfRank2) {
    RandomSteps random = new RandomSteps(7);
    try (SimulatedWorld world =
        new SimulatedWorld(
            random, SHAPE, Weather.calm(), new WireObserver() {}, engine -> engine)) {
      Rig.Tokens tokens = new Rig.Tokens(random, SHAPE);
      for (int i = 0; i < stepsBefore; i++) {
        List<Outcome<Void>> all =
            IntStream.range(0, 3)
                .mapToObj(rank -> world.start(rank, 0, step(world, rank, tokens)))
                .toList();
        world.runUntil(() -> all.stream().allMatch(Outcome::isOver));
        all.forEach(Outcome::value);
      }
      List<Outcome<Void>> others =
          List.of(
              world.start(0, 0, step(world, 0, tokens)), world.start(1, 0, step(world, 1, tokens)));
      partOfRank2.accept(new Late(world, tokens));
      world.runUntil(() -> others.stream().allMatch(Outcome::isOver));
      others.forEach(other -> requireRank2IsNamed(other, expected));
    }
  }

  private static void requireRank2IsNamed(Outcome<Void> other, String expected) {
    assertThat(other.failure)
        .isInstanceOf(GroupFailedException.class)
        .hasMessageContaining(expected + " did not come on lane 0 within PT3S; late: rank 2 ");
    assertThat(((GroupFailedException) other.failure).rank()).hasValue(2);
  }

  private record Late(SimulatedWorld world, Rig.Tokens tokens) {}

  private static MoeStep begin(SimulatedWorld world, int rank, Rig.Tokens tokens) {
    return world
        .groups
        .get(rank)
        .lane(0)
        .begin(tokens.count[rank], tokens.experts[rank], tokens.weights[rank]);
  }

  private static Mono<Void> step(SimulatedWorld world, int rank, Rig.Tokens tokens) {
    return Mono.defer(() -> {
      MemorySegment sums =
          MemorySegment.ofArray(new byte[(int) (tokens.count[rank] * SHAPE.sumBytes())]);
      return begin(world, rank, tokens).run(tokens.payload[rank], batch -> Mono.empty(), sums);
    });
  }

  @Test
  void whoDoesNotBegin() {
    late("2 writes of routes", late -> {});
  }

  @Test
  void whoDoesNotSendItsResults() {
    late(
        "2 writes of results",
        late -> {
          MoeStep step = begin(late.world(), 2, late.tokens());
          Mono<Void> dispatched =
              Mono.when(step.dispatchSend(late.tokens().payload[2]), step.dispatchReceive());
          late.world().start(2, 0, dispatched);
        });
  }

  /** What it has sent in the step before does not count for this one. */
  @Test
  void whoDoesNotReceiveInALaterStep() {
    late(
        1,
        "2 writes of results",
        late ->
            late.world()
                .start(
                    2,
                    0,
                    begin(late.world(), 2, late.tokens()).dispatchSend(late.tokens().payload[2])));
  }

  @Test
  void whoDoesNotSendItsTokensInAStepThatIsRefused() {
    refused("1 writes of tokens", 0, 2);
  }

  @Test
  void whoDoesNotEndAStepThatIsRefused() {
    refused("2 writes of results", 4, 5);
  }

  /** A step with too many tokens for rank 0, where rank 2 copies none, so that it sends none. */
  private static void refused(String expected, int... expertsOfRank2) {
    RandomSteps random = new RandomSteps(7);
    MoeShape shape =
        MoeShape.builder(SHAPE.placement(), 2, 8, 24, 4).privateTokens(2).maxReceived(1).build();
    Weather weather = Weather.calm();
    try (SimulatedWorld world =
        new SimulatedWorld(random, SHAPE, weather, new WireObserver() {}, engine -> engine)) {
      SimulatedProcess stopped = new SimulatedProcess(2, world.time, weather, random.seed());
      stopped.stop();
      List<Outcome<MoeGroup>> joining = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        VirtualScheduler own = world.schedulers.get(rank);
        MoeOptions options =
            MoeOptions.builder()
                .deadline(SimulatedWorld.DEADLINE)
                .scheduler(rank == 2 ? new VirtualScheduler(stopped) : own)
                .timers(own)
                .build();
        joining.add(world.start(rank, 0, join(world, rank, shape, options)));
      }
      world.runUntil(() -> joining.stream().allMatch(Outcome::isOver));
      int[][] experts = {{0, 1}, {2, 3}, expertsOfRank2};
      List<Outcome<Void>> all = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        MoeStep step = joining.get(rank).value().lane(0).begin(1, experts[rank], new float[2]);
        MemorySegment token = MemorySegment.ofArray(new byte[24]);
        all.add(world.start(rank, 0, step.dispatchSend(token)));
      }
      List<Outcome<Void>> others = all.subList(0, 2);
      world.runUntil(() -> others.stream().allMatch(Outcome::isOver));
      others.forEach(other -> requireRank2IsNamed(other, expected));
    }
  }

  private static Mono<MoeGroup> join(
      SimulatedWorld world, int rank, MoeShape shape, MoeOptions options) {
    MemorySegment memory = Arena.ofAuto().allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    List<PeerAddress> ranks = world.engines.stream().map(TransferEngine::address).toList();
    return world.nodes.get(rank).join("refused", shape, ranks, memory, options);
  }
}
