package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation finds each mistake within a few seeds. */
// A usual build runs the simulation; that it finds what is wrong is shown before a merge.
@Tag("merge")
class SabotageTest {

  private static final long SEED = Seeds.first(20_261_130);
  private static final int SEEDS = 200;

  @ParameterizedTest
  @EnumSource
  void isFound(Mistake mistake) {
    int seeds = 0;
    boolean isFound = false;
    while (!isFound && seeds < SEEDS) {
      long seed = SEED + seeds++;
      try {
        switch (mistake) {
          case SAYS_NOTHING,
              SIGNALS_BEFORE_QUIET,
              TOKENS_ARE_QUIET_AT_ONCE,
              BLAMES_ANOTHER,
              CLAIMS_WITHOUT_DEADLINE ->
              SimulatedStepsTest.faultyRun(seed, mistake);
          case KEEPS_MEMORY, TAKES_EARLIER_EPOCHS -> SimulatedRegroupTest.run(seed, mistake);
          default -> SimulatedStepsTest.calmRun(seed, mistake);
        }
      } catch (AssertionError e) {
        isFound = true;
      }
    }
    assertThat(isFound).as("found within %s seeds", SEEDS).isTrue();
  }
}
