package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** What is refused where it enters, and what all ranks refuse alike. */
class RefusalTest {

  private static final long SEED = Seeds.first(20_261_127);

  private static long bytesPosted(Cluster cluster) {
    return cluster.engines.stream()
        .map(TransferEngine::stats)
        .mapToLong(stats -> stats.bytesPosted())
        .sum();
  }

  private static MoeShape.Builder small(int ranks) {
    return MoeShape.builder(ExpertPlacement.even(ranks, 2 * ranks), 2, 8, 24, 4);
  }

  /** What became of a step on each rank: null, or why it was refused. */
  private static List<String> outcomes(Rig rig, Rig.Tokens tokens) {
    return Cluster.await(
        Flux.range(0, rig.shape.ranks())
            .flatMapSequential(
                rank ->
                    rig.step(rank, 0, tokens)
                        .thenReturn("done")
                        .onErrorResume(
                            StepRefusedException.class,
                            e -> Mono.just(String.valueOf(e.getMessage()))),
                rig.shape.ranks())
            .collectList());
  }

  /** The same, if each rank has one token for these experts. */
  private static List<String> outcomes(Rig rig, int[][] experts) {
    MemorySegment payload = MemorySegment.ofArray(new byte[24]);
    List<Mono<String>> steps = new ArrayList<>();
    for (int rank = 0; rank < experts.length; rank++) {
      MoeStep step = rig.groups.get(rank).lane(0).begin(1, experts[rank], new float[] {1, 1});
      MemorySegment sums = MemorySegment.ofArray(new byte[8]);
      steps.add(
          step.run(payload, batch -> Mono.empty(), sums)
              .thenReturn("done")
              .onErrorResume(
                  StepRefusedException.class, e -> Mono.just(String.valueOf(e.getMessage()))));
    }
    return Cluster.await(Flux.mergeSequential(steps).collectList());
  }

  @Test
  void whatExceedsTheBoundIsRefusedByAllRanksAndTheGroupGoesOn() {
    try (Cluster cluster = Cluster.loopback(4)) {
      for (int round = 0; round < 4; round++) {
        long seed = SEED + round;
        RandomSteps random = new RandomSteps(seed);
        MoeShape any = random.shape(4).build();
        MoeShape shape =
            MoeShape.builder(
                    any.placement(), any.topK(), any.maxTokens(), any.tokenBytes(), any.hidden())
                .groups(any.groups())
                .privateTokens(random.between(0, 3))
                .maxReceived(random.between(1, 2 * any.maxTokens()))
                .build();
        StepsTest.seeded(
            seed,
            shape,
            () -> {
              try (Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
                for (Rig.Tokens tokens : StepsTest.tokens(random, shape, 15)) {
                  List<String> outcomes = outcomes(rig, tokens);
                  assertThat(outcomes).containsOnly(outcomes.get(0));
                  assertThat(outcomes.get(0)).isEqualTo(expected(shape, tokens, outcomes.get(0)));
                }
              }
            });
      }
    }
  }

  /** Refused if and only if some rank would get more than it may, counted token by token. */
  private static String expected(MoeShape shape, Rig.Tokens tokens, String was) {
    int[] received = new int[shape.ranks()];
    for (int group = 0; group < tokens.count.length; group++) {
      OwnRouting own = new OwnRouting(shape, group);
      own.route(tokens.count[group], tokens.experts[group]);
      for (int instance = 0; instance < shape.placement().instances(); instance++) {
        received[shape.placement().rankOf(instance)] += own.counts()[instance];
      }
    }
    for (int rank = 0; rank < received.length; rank++) {
      if (received[rank] > shape.maxReceived()) {
        assertThat(was)
            .endsWith(
                "expected at most "
                    + shape.memory(rank).received()
                    + " tokens for rank "
                    + rank
                    + ", got "
                    + received[rank]
                    + "; a greater maxReceived takes them, at the price of memory");
        return was;
      }
    }
    return "done";
  }

  @Test
  void noTokenMovesBeyondThePrivateSlotsInAStepThatIsRefused() {
    // All tokens for rank 0, which may have 10 of them; one private slot for each other rank.
    MoeShape shape = small(2).privateTokens(1).maxReceived(10).build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(SEED), shape);
      for (int group = 0; group < 2; group++) {
        tokens.count[group] = 8;
        tokens.payload[group] = MemorySegment.ofArray(new byte[8 * 24]);
        tokens.experts[group] = new int[] {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
        tokens.weights[group] = new float[16];
      }
      long before = bytesPosted(cluster);
      assertThat(outcomes(rig, tokens))
          .allMatch(outcome -> outcome.contains("refused by all ranks"));
      // A row of each rank, and the one token of rank 1 that was sent without waiting.
      assertThat(bytesPosted(cluster) - before).isEqualTo(2 * RouteRow.bytes(shape) + 32);
      // The bound is met exactly: ten for rank 0.
      tokens.count[0] = 2;
      tokens.count[1] = 3;
      for (int group = 0; group < 2; group++) {
        tokens.expected[group] =
            Model.reference(
                shape,
                tokens.count[group],
                tokens.payload[group],
                tokens.experts[group],
                tokens.weights[group]);
      }
      assertThat(outcomes(rig, tokens)).containsOnly("done");
    }
  }

  @Test
  void ranksOfOneGroupThatDisagreeAreRefusedByAllRanks() {
    MoeShape shape = small(3).groups(RankGroups.of(0, 0, 1)).build();
    try (Cluster cluster = Cluster.loopback(3);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      int[][] experts = {{0, 1}, {1, 0}, {2, 3}};
      assertThat(outcomes(rig, experts))
          .allMatch(outcome -> outcome.contains("ranks 0 and 1, which are of one group"));
      RandomSteps random = new RandomSteps(SEED);
      rig.steps(0, StepsTest.tokens(random, shape, 3)).block(Cluster.PATIENCE);
    }
  }

  /**
   * Rank 1 is the one that sends the tokens of its group to rank 3. What it sends is what is waited
   * for, whatever the first member of its group says.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void whatMembersThatDisagreeHaveSentIsCountedInTheStepThatIsRefused(int sendsToRank3) {
    MoeShape shape = small(4).groups(RankGroups.of(0, 0, 1, 1)).build();
    int[][] experts = {{0, 1}, {0, 1}, {4, 5}, {4, 5}};
    experts[sendsToRank3] = new int[] {6, 7};
    RandomSteps random = new RandomSteps(SEED);
    try (Cluster cluster = Cluster.loopback(4);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      for (int round = 0; round < 3; round++) {
        assertThat(outcomes(rig, experts))
            .allMatch(outcome -> outcome.contains("ranks 0 and 1, which are of one group"));
        rig.steps(0, StepsTest.tokens(random, shape, 5)).block(Cluster.PATIENCE);
      }
      for (TransferEngine engine : cluster.engines) {
        assertThat(engine.stats().unclaimedImms()).isZero();
      }
    }
  }

  @Test
  void laterHalvesOfARefusedStepSayTheSame() {
    MoeShape shape = small(1).maxReceived(1).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      MoeStep step = rig.groups.get(0).lane(0).begin(1, new int[] {0, 1}, new float[2]);
      MemorySegment memory = MemorySegment.ofArray(new byte[24]);
      StepVerifier.create(step.dispatchSend(memory))
          .expectError(StepRefusedException.class)
          .verify(Cluster.PATIENCE);
      StepVerifier.create(step.dispatchReceive())
          .expectError(StepRefusedException.class)
          .verify(Cluster.PATIENCE);
      StepVerifier.create(step.combineSend())
          .expectError(StepRefusedException.class)
          .verify(Cluster.PATIENCE);
      StepVerifier.create(step.combineReceive(memory))
          .expectError(StepRefusedException.class)
          .verify(Cluster.PATIENCE);
    }
  }

  @Test
  void badInputIsRefusedWithItsIndexAndNothingHasBegun() {
    MoeShape shape = small(1).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      MoeLane lane = rig.groups.get(0).lane(0);
      assertThatThrownBy(
              () -> lane.begin(2, new int[] {0, 1, 1, 0}, new float[] {1, 1, 1, Float.NaN}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("expected weights that are finite numbers, got NaN as number 1 of token 1");
      assertThatThrownBy(() -> lane.begin(1, new int[] {0, 2}, new float[2]))
          .hasMessage("expected experts of 0 to 1, got 2 as number 1 of token 0");
      assertThatThrownBy(() -> lane.begin(9, new int[18], new float[18]))
          .hasMessage("expected tokens of 0 to 8, got 9");
      assertThatThrownBy(() -> lane.begin(1, new int[] {0, 1}, new float[1]))
          .hasMessage("expected a weight for each of 2 experts, got 1");
      MoeStep step = lane.begin(2, new int[] {0, 1, 1, 0}, new float[] {1, 1, 1, 1});
      assertThatThrownBy(() -> step.dispatchSend(MemorySegment.ofArray(new byte[47])))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("memory for 2 of them, got a stride of 24 in 47 bytes");
      try (Arena confined = Arena.ofConfined()) {
        assertThatThrownBy(() -> step.combineReceive(confined.allocate(48)))
            .hasMessage("expected sums that any thread may access, got memory confined to one");
      }
      // Whoever takes another step instead loses the one before.
      MoeStep other = lane.begin(0, new int[0], new float[0]);
      StepVerifier.create(step.dispatchSend(MemorySegment.ofArray(new byte[48])))
          .expectErrorMessage("expected the last step that was begun, on lane 0")
          .verify(Cluster.PATIENCE);
      MemorySegment none = MemorySegment.ofArray(new byte[0]);
      other.run(none, batch -> Mono.empty(), none).block(Cluster.PATIENCE);
    }
  }

  @Test
  void halvesThatAreNotInTheirOrderAreRefusedAndChangeNothing() {
    MoeShape shape = small(2).build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(SEED), shape);
      MemorySegment sums = rig.sums(0, tokens);
      MoeStep step = rig.begin(0, 0, tokens);
      refused(step.dispatchReceive(), "dispatchReceive once, after dispatchSend");
      refused(step.combineSend(), "combineSend once, after dispatchReceive has completed");
      refused(step.combineReceive(sums), "combineReceive once, after combineSend");
      Mono<Void> other = rig.step(1, 0, tokens).cache();
      other.subscribe();
      step.dispatchSend(tokens.payload[0]).block(Cluster.PATIENCE);
      refused(step.dispatchSend(tokens.payload[0]), "dispatchSend once");
      assertThatThrownBy(() -> rig.begin(0, 0, tokens))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("expected the step before to be over on lane 0");
      ExpertBatch batch = Cluster.await(step.dispatchReceive());
      refused(step.dispatchReceive(), "dispatchReceive once, after dispatchSend");
      Model.compute(shape, batch);
      step.combineSend().block(Cluster.PATIENCE);
      step.combineReceive(sums).block(Cluster.PATIENCE);
      refused(step.combineReceive(sums), "combineReceive once, after combineSend");
      rig.requireExact(0, tokens, sums);
      other.block(Cluster.PATIENCE);
      rig.steps(0, StepsTest.tokens(new RandomSteps(SEED), shape, 2)).block(Cluster.PATIENCE);
    }
  }

  private static void refused(Mono<?> half, String expected) {
    StepVerifier.create(half)
        .expectErrorMatches(e ->
            e instanceof IllegalStateException
                && ("expected " + expected + ", on lane 0").equals(e.getMessage()))
        .verify(Cluster.PATIENCE);
  }
}
