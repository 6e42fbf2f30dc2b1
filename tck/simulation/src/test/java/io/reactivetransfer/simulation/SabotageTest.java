package io.reactivetransfer.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.simulation.Simulation.Result;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that finds nothing proves nothing: each defect of a NIC is found. */
class SabotageTest {

  private static final int SEEDS = 1_000;

  @ParameterizedTest
  @EnumSource
  void isFound(Saboteur saboteur) {
    Simulation simulation = new Simulation(saboteur::apply, false);
    for (long seed = 0; seed < SEEDS; seed++) {
      if (!saboteur.run(simulation, seed).isClean()) {
        return;
      }
    }
    assertThat(List.<Result>of()).as("what was found in %d seeds", SEEDS).isNotEmpty();
  }
}
