package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;

class TcpConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new TcpBackend();
  }

  /** Each night 2 and 8 NICs, too. */
  @Override
  protected Profile profile() {
    Profile all = Profile.defaults();
    return Boolean.getBoolean(Chapters.ALL) ? all : all.withNicCounts(1, 3);
  }
}
