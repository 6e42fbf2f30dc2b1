package io.reactivetransfer.simulation.weights;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that finds nothing proves nothing: each broken promise is found. */
class WeightsSabotageTest {

  private static final int SEEDS = 1_000;

  @ParameterizedTest
  @EnumSource
  void isFound(WeightsSaboteur saboteur) {
    WeightsSimulation simulation = saboteur.simulation();
    String found = null;
    for (long seed = 0; seed < SEEDS && found == null; seed++) {
      found = simulation.run(seed).violation();
    }
    assertThat(found)
        .as("what was found in %d seeds", SEEDS)
        .isNotNull()
        .doesNotContain("the run broke off");
  }
}
