package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Capability;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;

/**
 * The whole kit over the devices that there are: not of the build, but of the guest in {@code
 * src/it/guest}, or of a machine that has cards.
 */
class IbverbsConformanceIT extends TransferConformance {

  @Override
  protected Backend backend() {
    return new IbverbsBackend();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .without(
            Capability.SECRET_KEYS,
            "a card draws its keys of 32 bits, some in order, and the address beside them can be"
                + " guessed")
        .skipIfUnavailable();
  }
}
