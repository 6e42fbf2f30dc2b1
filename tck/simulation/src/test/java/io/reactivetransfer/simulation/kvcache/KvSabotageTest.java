package io.reactivetransfer.simulation.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that finds nothing proves nothing: each broken promise is found. */
class KvSabotageTest {

  private static final int SEEDS = 1_000;

  @ParameterizedTest
  @EnumSource
  void isFound(KvSaboteur saboteur) {
    KvSimulation simulation = saboteur.simulation();
    String found = null;
    for (long seed = 0; seed < SEEDS && found == null; seed++) {
      String violation = simulation.run(seed).violation();
      found = violation != null && saboteur.isMeant(violation) ? violation : null;
    }
    assertThat(found)
        .as("what was found in %d seeds", SEEDS)
        .isNotNull()
        .doesNotContain("the run broke off");
  }
}
