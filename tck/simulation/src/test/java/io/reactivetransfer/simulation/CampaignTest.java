package io.reactivetransfer.simulation;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.simulation.Simulation.Result;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class CampaignTest {

  private static final long BAD_SEED = 12;

  /** Of which one seed breaks down by itself. */
  private static final class Fragile implements SeededRun {

    @Override
    public Result run(long seed, IntPredicate acts) {
      if (seed == BAD_SEED) {
        throw new AssertionError("it cannot go on");
      }
      return new Result(seed, null, 1, 1, List.of());
    }

    @Override
    public int acts(long seed) {
      return 0;
    }
  }

  @Test
  void aSimulationThatBreaksDownIsToldWithItsSeedAndEndsAll() {
    long endless = Long.MAX_VALUE / 2;
    Campaign campaign = new Campaign(10, endless, Fragile::new, 1);
    assertThatThrownBy(() -> campaign.run(3, _ -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "the simulation itself broke down with seed 12: java.lang.AssertionError: it cannot go"
                + " on");
  }
}
