package io.reactivetransfer.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.simulation.Simulation.Result;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole engines on a simulated network, where a seed decides all that happens. */
@Timeout(600)
class SimulationTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);

  /** A usual build runs the same ones each time; a nightly one runs many times as many. */
  private static final int SEEDS = (ROUNDS > 1 ? 300 : 200) * ROUNDS;

  private static final int THREADS = 2;

  @Test
  void everyRuleHolds() throws InterruptedException {
    List<Result> failures = new Campaign(0, SEEDS, Simulation::new, 1).run(THREADS, done -> {});
    assertThat(failures).map(SimulationTest::describe).isEmpty();
  }

  /** Ways are lost all the time, and what was given up is submitted again: rarely so in others. */
  @Test
  void everyRuleHoldsWhereWaysAreLostAgainAndAgain() {
    Simulation simulation = new Simulation();
    List<ActKind> acts = Simulation.rounds(8, List.of(ActKind.RETRY, ActKind.CUT, ActKind.CUT));
    for (long seed = 0; seed < SEEDS / 3; seed++) {
      Result result = simulation.run(seed, acts);
      assertThat(result.violation()).as(describe(result)).isNull();
    }
  }

  /** Seeds that found something once, and what. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "2701, a message to a process that died before it greeted waited for ever",
    "389, a peer was lost because a NIC did not report",
    "597, the same",
    "1793, a flight that had missed its deadline was released and posted in the same turn",
    "127303, a doubt was discarded before a NIC had reported what had come under it",
    "3118484, the network let in what a NIC had broken off itself",
    "5083052, what was cancelled was out longer than anybody waited for it",
    "20371, a way was to be shut once more when its NIC had closed",
    "30428, the same",
    "86622, the same",
  })
  void everyRuleHoldsWhereItOnceDidNot(long seed, String found) {
    Result result = new Simulation().run(seed);
    assertThat(result.violation()).as("%s: %s", found, describe(result)).isNull();
  }

  @Test
  void theSameSeedDoesTheSame() {
    Simulation used = new Simulation();
    for (long seed = 0; seed < 30; seed++) {
      Result once = new Simulation().run(seed);
      Result again = used.run(seed);
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
