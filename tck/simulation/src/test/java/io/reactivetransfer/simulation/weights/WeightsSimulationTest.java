package io.reactivetransfer.simulation.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.simulation.Campaign;
import io.reactivetransfer.simulation.Simulation.Result;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Weights on a simulated network, where a seed decides all that happens. */
@Timeout(600)
class WeightsSimulationTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int SEEDS = (ROUNDS > 1 ? 60 : 30) * ROUNDS;

  /** A usual build has the same ones each time, and each night others. */
  private static final long FIRST =
      Long.getLong(
          "reactivetransfer.weights.seed",
          (Long.getLong("reactivetransfer.fuzz.seed", 1) - 1) * 1_000_000);

  private static final int THREADS = 2;

  private static final String AGAIN =
      "mvn test -pl tck/simulation -am -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dtest=WeightsSimulationTest#whatIsDamagedOnTheWayIsNotServed"
          + " -Dreactivetransfer.weights.seed=";

  @Test
  void everyPromiseIsKept() throws InterruptedException {
    List<Result> failures =
        new Campaign(FIRST, SEEDS, WeightsSimulation::new, 1).run(THREADS, done -> {});
    assertThat(failures)
        .map(failure -> describe(failure, "examples/run simulate --pipeline weights --seed "))
        .isEmpty();
  }

  /** Ranks compare sums, and all that now and then comes of an update is something else. */
  @Test
  void whatIsDamagedOnTheWayIsNotServed() {
    for (long seed = FIRST; seed < FIRST + SEEDS / 3; seed++) {
      Result result = new WeightsSimulation(new Damage(false)).run(seed);
      assertThat(result.violation()).as(describe(result, AGAIN)).isNull();
    }
  }

  @Test
  void theSameSeedDoesTheSame() {
    WeightsSimulation used = new WeightsSimulation();
    for (long seed = 0; seed < (ROUNDS > 1 ? 8 : 3); seed++) {
      Result once = new WeightsSimulation().run(seed);
      Result again = used.run(seed);
      assertThat(again.fingerprint()).as("seed %d", seed).isEqualTo(once.fingerprint());
      assertThat(again.events()).as("seed %d", seed).isEqualTo(once.events());
    }
  }

  private static String describe(Result failure, String command) {
    return "seed "
        + failure.seed()
        + ": "
        + failure.violation()
        + "\n  "
        + String.join("\n  ", failure.trace())
        + "\nto run it alone:\n"
        + command
        + failure.seed();
  }
}
