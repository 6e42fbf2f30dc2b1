package io.reactivetransfer.examples.weights;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What is done to a process within an update. */
enum Fate {
  NOTHING,
  /** It is killed. */
  KILL,
  /** It stands still, and goes on before anybody takes it for lost. */
  PAUSE,
  /** It stands still for so long that it counts as lost, goes on, and is then replaced. */
  STOP;

  private static final Fate[] LIKELY = {NOTHING, KILL, KILL, KILL, PAUSE, PAUSE, PAUSE, STOP};

  private static final List<Role> ROLES = List.of(Role.values());

  /**
   * What, and to whom.
   *
   * @param whom null for nobody
   */
  record Chosen(Fate fate, @Nullable Role whom) {

    @Override
    public String toString() {
      return whom == null ? "nothing" : fate.name().toLowerCase(Locale.ROOT) + " " + whom;
    }
  }

  static Chosen choose(Random random) {
    Fate fate = LIKELY[random.nextInt(LIKELY.length)];
    Role whom = ROLES.get(random.nextInt(ROLES.size()));
    return new Chosen(fate, fate == NOTHING ? null : whom);
  }
}
