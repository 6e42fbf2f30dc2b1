package io.reactivetransfer.moe;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Steps of groups of many ranks, each on an engine of its own, or of many experts. */
class ManyRanksTest {

  private static final long SEED = Seeds.first(20_261_134);

  private static void requireExact(MoeShape shape, RandomSteps random, int steps) {
    try (Cluster cluster = Cluster.plainLoopback(shape.ranks());
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      rig.steps(0, StepsTest.tokens(random, shape, steps)).block(Cluster.PATIENCE);
    }
  }

  private static void ofAnyShape(int ranks) {
    RandomSteps random = new RandomSteps(SEED);
    MoeShape shape = random.shape(ranks).build();
    StepsTest.seeded(SEED, shape, () -> requireExact(shape, random, 3));
  }

  @Test
  void sixteenAreExact() {
    ofAnyShape(16);
  }

  /** A row of one rank has some 8 kB then, and most experts get nothing. */
  @Test
  void fourRanksHaveTwoThousandExperts() {
    RandomSteps random = new RandomSteps(SEED);
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(4, 2_000), 8, 16, 32, 8).privateTokens(8).build();
    StepsTest.seeded(SEED, shape, () -> requireExact(shape, random, 2));
  }

  // In a usual build sixteen ranks are on engines with threads, and up to 32 on the simulated
  // network.
  @Tag("nightly")
  @Test
  void sixtyFourAreExact() {
    ofAnyShape(64);
  }
}
