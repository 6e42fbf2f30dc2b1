package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Capability;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.time.Duration;

/**
 * The whole kit over the devices that there are: not of the build, but of the guest in {@code
 * src/it/guest}, or of a machine that has cards.
 */
class IbverbsConformanceIT extends TransferConformance {

  @Override
  protected Backend backend() {
    return new IbverbsBackend();
  }

  /** An emulated processor takes minutes to register 4 GiB. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withSignalTimeout(PATIENCE)
        .without(
            Capability.SECRET_KEYS,
            "a card draws its keys of 32 bits, some in order, and the address beside them can be"
                + " guessed")
        .skipIfUnavailable();
  }
}
