package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;

/** The whole kit over the provider tcp. */
class LibfabricConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return LibfabricBackend.builder().provider("tcp").build();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().skipIfUnavailable();
  }
}
