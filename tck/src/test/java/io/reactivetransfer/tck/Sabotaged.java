package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The kit as it runs on a saboteur; not a test by itself. */
class Sabotaged extends TransferConformance {

  /** The saboteur of the present run. */
  static @Nullable Saboteur saboteur;

  private static Saboteur present() {
    Saboteur present = saboteur;
    if (present == null) {
      throw new IllegalStateException("expected to be run by SabotageTest");
    }
    return present;
  }

  @Override
  protected Backend backend() {
    return present().newBackend();
  }

  /** Short times: a broken rule costs a whole signal timeout, and there are many. */
  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(
            Duration.ofMillis(
                Long.getLong("reactivetransfer.tck.sabotage.signalTimeoutMillis", 1_500)))
        .withSilence(Duration.ofMillis(15))
        .withNicCounts(1, 3);
  }

  @Override
  Sabotage sabotage() {
    return present().sabotage();
  }
}
