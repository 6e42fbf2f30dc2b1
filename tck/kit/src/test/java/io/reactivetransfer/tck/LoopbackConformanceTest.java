package io.reactivetransfer.tck;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;

class LoopbackConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new LoopbackBackend();
  }
}
