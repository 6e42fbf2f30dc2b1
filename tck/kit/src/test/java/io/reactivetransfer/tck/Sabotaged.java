package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import java.time.Duration;

/** The kit as it runs on a saboteur; not a test by itself. */
class Sabotaged extends TransferConformance {

  /**
   * A run of the kit, which is made on one thread; several go on at once.
   *
   * @param saboteur on what
   * @param signalTimeout how long a signal is waited for
   */
  record Run(Saboteur saboteur, Duration signalTimeout) {}

  private static final ThreadLocal<Run> RUN = new ThreadLocal<>();

  /** The runs of this thread are on this saboteur from now on. */
  static void next(Run run) {
    RUN.set(run);
  }

  @Override
  protected Backend backend() {
    return RUN.get().saboteur().newBackend();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(RUN.get().signalTimeout())
        .withSilence(Duration.ofMillis(15))
        .withNicCounts(1, 3);
  }

  @Override
  Sabotage sabotage() {
    return RUN.get().saboteur().sabotage();
  }
}
