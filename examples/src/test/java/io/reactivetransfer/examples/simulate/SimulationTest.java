package io.reactivetransfer.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.simulate.Simulation.Result;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {

  private static final int SEEDS = 2_000;
  private static final int THREADS = 2;

  @Test
  void everyRuleHolds() throws InterruptedException {
    List<Result> failures = new Campaign(0, SEEDS, Simulation::new, 1).run(THREADS, done -> {});
    assertThat(failures).map(SimulationTest::describe).isEmpty();
  }

  /** Seeds that found something once. */
  @ParameterizedTest
  @ValueSource(longs = {0})
  void everyRuleHoldsWhereItOnceDidNot(long seed) {
    Result result = new Simulation().run(seed);
    assertThat(result.violation()).as(describe(result)).isNull();
  }

  @Test
  void theSameSeedDoesTheSame() {
    for (long seed = 0; seed < 50; seed++) {
      Result once = new Simulation().run(seed);
      Result again = new Simulation().run(seed);
      assertThat(again.fingerprint()).as("seed %d", seed).isEqualTo(once.fingerprint());
      assertThat(again.events()).as("seed %d", seed).isEqualTo(once.events());
    }
  }

  private static String describe(Result failure) {
    return "seed "
        + failure.seed()
        + ": "
        + failure.violation()
        + "\n  "
        + String.join("\n  ", failure.trace());
  }
}
