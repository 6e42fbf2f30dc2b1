package io.reactivetransfer.tck;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;

class LoopbackConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new LoopbackBackend();
  }

  /** Each night 2 and 8 NICs, too. */
  @Override
  protected Profile profile() {
    Profile all = Profile.defaults();
    return Boolean.getBoolean(Chapters.ALL) ? all : all.withNicCounts(1, 3);
  }
}
