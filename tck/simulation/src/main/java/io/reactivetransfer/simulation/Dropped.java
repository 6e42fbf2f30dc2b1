package io.reactivetransfer.simulation;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Hooks;
import reactor.util.Logger;
import reactor.util.Loggers;

/** What comes to Reactor's hooks because nobody is left to be told: nothing must. */
public final class Dropped {

  private static final Logger LOG = Loggers.getLogger(Dropped.class);

  /** Who watches what this thread does. */
  private static final ThreadLocal<@Nullable Referee> REFEREE = new ThreadLocal<>();

  static {
    Hooks.onErrorDropped(error -> tell("an error", error));
    Hooks.onNextDropped(value -> tell("an element", value));
  }

  private Dropped() {}

  /** Tells him of all that is dropped on this thread from now on; null for nobody. */
  public static void to(@Nullable Referee referee) {
    if (referee == null) {
      REFEREE.remove();
    } else {
      REFEREE.set(referee);
    }
  }

  private static void tell(String what, Object dropped) {
    Referee referee = REFEREE.get();
    if (referee == null) {
      LOG.error("{} was dropped: {}", what, dropped);
    } else {
      referee.violated(what + " was dropped on Reactor's hooks: " + dropped);
    }
  }
}
