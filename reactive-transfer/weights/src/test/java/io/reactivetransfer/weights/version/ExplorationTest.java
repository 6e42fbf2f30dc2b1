package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Thousands of worlds in which everything goes wrong at some time, and no promise is broken. */
@Timeout(3_600)
class ExplorationTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);

  static final int SEEDS =
      Integer.getInteger("reactivetransfer.weights.seeds", (ROUNDS > 1 ? 250 : 125) * ROUNDS);
  static final int STEPS = 600;

  /** A usual build has the same ones each time, and each night others. */
  private static final long FIRST =
      Long.getLong("reactivetransfer.weights.seed", (Fuzz.seed() - 1) * 1_000_000);

  private static AssertionError broken(String method, long seed, String how, World.Broken broken) {
    return new AssertionError(
        "seed "
            + seed
            + how
            + "; to run it alone:\nmvn test -pl reactive-transfer/weights -am"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest=ExplorationTest#"
            + method
            + " -Dreactivetransfer.weights.seeds=1 -Dreactivetransfer.weights.seed="
            + seed,
        broken);
  }

  @Test
  void keepsItsPromises() {
    int flips = 0;
    int others = 0;
    int torn = 0;
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      World world = new World(seed, new Mistake());
      try {
        world.run(STEPS);
      } catch (World.Broken broken) {
        throw broken("keepsItsPromises", seed, "", broken);
      }
      flips += world.flipsInTrouble;
      others += world.results - world.flips;
      torn += world.tornRanks;
    }
    // A world in which nothing comes to its end explores nothing.
    assertThat(flips).isGreaterThan(SEEDS / 2);
    assertThat(others).isGreaterThan(2 * SEEDS);
    assertThat(torn).isGreaterThan(SEEDS / 10);
  }

  /** A controller dies behind each of its commands, and a rank dies or stands still with it. */
  @ParameterizedTest
  @EnumSource
  void anotherControllerFindsOutWhatIs(UpdateMode mode) {
    for (long seed = FIRST; seed < FIRST + Math.min(ROUNDS, 2); seed++) {
      for (int victim = 0; victim <= 4; victim++) {
        for (int commands = 0; ; commands++) {
          boolean died;
          try {
            boolean stops = (seed + commands) % 2 == 0;
            died = new World(seed, new Mistake()).runUntil(mode, commands, victim, stops);
          } catch (World.Broken broken) {
            throw broken(
                "anotherControllerFindsOutWhatIs",
                seed,
                ", " + commands + " commands, victim " + victim,
                broken);
          }
          if (!died) {
            assertThat(commands).isGreaterThan(12);
            break;
          }
        }
      }
    }
  }
}
