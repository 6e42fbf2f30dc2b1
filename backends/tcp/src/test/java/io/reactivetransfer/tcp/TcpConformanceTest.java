package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.TransferConformance;

class TcpConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new TcpBackend();
  }
}
