package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Steps over engines come out as if each token had simply been given to its experts. */
class StepsTest {

  private static final long SEED = Seeds.first(20_261_126);

  Cluster open(int ranks) {
    return Cluster.loopback(ranks);
  }

  int rounds() {
    return 8 * Integer.getInteger("reactivetransfer.rounds", 1);
  }

  int maxRanks() {
    return 6;
  }

  static List<Rig.Tokens> tokens(RandomSteps random, MoeShape shape, int steps) {
    List<Rig.Tokens> all = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      all.add(new Rig.Tokens(random, shape));
    }
    return all;
  }

  /** Says the seed of whatever fails. */
  static void seeded(long seed, Object about, Runnable test) {
    try {
      test.run();
    } catch (Throwable e) {
      throw new AssertionError("-Dreactivetransfer.moe.seed=" + seed + ", " + about, e);
    }
  }

  @Test
  void manyStepsOfAnyShapeAndRoutingAreExactBackToBack() {
    try (Cluster cluster = open(maxRanks())) {
      for (int round = 0; round < rounds(); round++) {
        long seed = SEED + round;
        RandomSteps random = new RandomSteps(seed);
        int ranks = random.between(1, maxRanks());
        MoeShape shape = random.shape(ranks).build();
        seeded(
            seed,
            shape,
            () -> {
              try (Part part = new Part(cluster, ranks, shape)) {
                List<Rig.Tokens> steps = tokens(random, shape, 8);
                long writes = steps.stream().mapToLong(step -> writes(shape, step)).sum();
                long before = writesPosted(cluster);
                part.rig.steps(0, steps).block(Cluster.PATIENCE);
                Awaitility.await() // figures follow at the end of a turn
                    .atMost(Cluster.PATIENCE)
                    .untilAsserted(
                        () -> assertThat(writesPosted(cluster) - before).isEqualTo(writes));
              }
            });
      }
    }
  }

  private static long writesPosted(Cluster cluster) {
    return cluster.engines.stream().mapToLong(engine -> engine.stats().writesPosted()).sum();
  }

  /**
   * How many writes a step takes: between two ranks a row and the results each way, and the tokens
   * of a group for a rank in one, or in two if they do not all have private slots.
   */
  private static long writes(MoeShape shape, Rig.Tokens tokens) {
    long writes = 2L * shape.ranks() * (shape.ranks() - 1);
    for (int group = 0; group < tokens.count.length; group++) {
      OwnRouting own = new OwnRouting(shape, group);
      own.route(tokens.count[group], tokens.experts[group]);
      for (int rank = 0; rank < shape.ranks(); rank++) {
        int slots = shape.memory(rank).privateSlots();
        int pairs = shape.groups().groupOf(rank) == group ? 0 : own.pairs(rank);
        writes += (pairs > 0 && slots > 0 ? 1 : 0) + (pairs > slots ? 1 : 0);
      }
    }
    return writes;
  }

  @Test
  void stepsOfSeveralLanesOverlapAndDoNotMix() {
    try (Cluster cluster = open(4)) {
      for (int round = 0; round < Math.ceilDiv(rounds(), 4); round++) {
        long seed = SEED + round;
        RandomSteps random = new RandomSteps(seed);
        MoeShape shape = random.shape(4).lanes(3).build();
        seeded(
            seed,
            shape,
            () -> {
              try (Part part = new Part(cluster, 4, shape)) {
                List<Mono<Void>> lanes = new ArrayList<>();
                for (int lane = 0; lane < 3; lane++) {
                  lanes.add(part.rig.steps(lane, tokens(random, shape, 8)));
                }
                Mono.when(lanes).block(Cluster.PATIENCE);
              }
            });
      }
    }
  }

  @Test
  void tokensAndSumsMayHaveGapsBetweenThem() {
    try (Cluster cluster = open(3)) {
      for (int round = 0; round < Math.ceilDiv(rounds(), 4); round++) {
        long seed = SEED + round;
        RandomSteps random = new RandomSteps(seed);
        MoeShape shape = random.shape(3).build();
        int gap = random.between(1, 40);
        seeded(
            seed,
            shape + ", gaps of " + gap,
            () -> {
              try (Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
                for (Rig.Tokens step : tokens(random, shape, 4)) {
                  Flux.range(0, 3)
                      .flatMap(rank -> rig.stepWithGaps(rank, 0, step, gap))
                      .blockLast(Cluster.PATIENCE);
                }
              }
            });
      }
    }
  }

  /** Says that writes are done long after they are. */
  private static TransferEngine late(TransferEngine engine) {
    return Proxied.of(
        TransferEngine.class,
        engine,
        (method, arguments) ->
            method.equals("submit") && arguments[0] instanceof Publisher<?> writes
                ? Flux.concat(
                    engine.submit(Flux.from(writes).cast(Transfer.class), (Duration) arguments[1]),
                    Mono.delay(Duration.ofMillis(20)).then(Mono.empty()))
                : null);
  }

  @Test
  void whoHasItsResultsBeforeItsWritesAreAcknowledgedGoesOn() {
    RandomSteps random = new RandomSteps(SEED);
    MoeShape shape = random.shape(3).build();
    try (Cluster cluster = Cluster.loopback(3, StepsTest::late);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      List<Rig.Tokens> all = tokens(random, shape, 6);
      List<Mono<Void>> ranks = new ArrayList<>();
      for (int rank = 0; rank < 3; rank++) {
        int of = rank;
        List<Mono<Void>> writing = new ArrayList<>();
        ranks.add(
            Flux.fromIterable(all)
                .concatMap(step -> rig.stepWithoutWaitingForWrites(of, step, writing))
                .then(Mono.defer(() -> Mono.when(writing))));
      }
      Mono.when(ranks).block(Cluster.PATIENCE);
    }
  }

  @Test
  void allOfItMayRunOnTheThreadsOfTheNics() {
    RandomSteps random = new RandomSteps(SEED);
    MoeShape shape = random.shape(3).lanes(2).build();
    MoeOptions options = MoeOptions.builder().scheduler(Schedulers.immediate()).build();
    try (Cluster cluster = Cluster.onNicThreads(3);
        Rig rig = new Rig(cluster, shape, options)) {
      Mono.when(rig.steps(0, tokens(random, shape, 10)), rig.steps(1, tokens(random, shape, 10)))
          .block(Cluster.PATIENCE);
    }
  }

  @Test
  void twoGroupsShareTheirEngines() {
    try (Cluster cluster = open(3)) {
      RandomSteps random = new RandomSteps(SEED);
      MoeShape one = random.shape(3).build();
      MoeShape other = random.shape(3).build();
      try (Rig first = new Rig(cluster, "one", one, Rig.OPTIONS);
          Rig second = new Rig(cluster, "other", other, Rig.OPTIONS)) {
        Mono.when(
                first.steps(0, tokens(random, one, 10)), second.steps(0, tokens(random, other, 10)))
            .block(Cluster.PATIENCE);
      }
    }
  }

  @Test
  void nothingIsLeftWhenGroupsHaveClosed() {
    try (Cluster cluster = open(3)) {
      RandomSteps random = new RandomSteps(SEED);
      MoeShape shape = random.shape(3).build();
      try (Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
        rig.steps(0, tokens(random, shape, 2)).block(Cluster.PATIENCE);
      }
      cluster.engines.forEach(engine -> {
        assertThat(engine.stats().openRegions()).isZero();
        assertThat(engine.stats().droppedImms()).isZero();
      });
    }
  }

  /** A group of the first ranks of a cluster. */
  private static final class Part implements AutoCloseable {
    final Rig rig;

    Part(Cluster cluster, int ranks, MoeShape shape) {
      rig = new Rig(cluster.first(ranks), shape, Rig.OPTIONS);
    }

    @Override
    public void close() {
      rig.close();
    }
  }
}
