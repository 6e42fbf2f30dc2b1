package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import java.time.Duration;

/** The kit as it runs on a saboteur; not a test by itself. */
class Sabotaged extends TransferConformance {

  /** The saboteur of the present run. */
  static Saboteur saboteur = Saboteur.NONE;

  /** How long a signal is waited for in the present run. */
  static Duration signalTimeout = Duration.ZERO;

  @Override
  protected Backend backend() {
    return saboteur.newBackend();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(signalTimeout)
        .withSilence(Duration.ofMillis(15))
        .withNicCounts(1, 3);
  }

  @Override
  Sabotage sabotage() {
    return saboteur.sabotage();
  }
}
