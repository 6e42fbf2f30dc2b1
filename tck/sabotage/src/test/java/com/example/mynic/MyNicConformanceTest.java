package com.example.mynic;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.TransferConformance;

class MyNicConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return new MyNicBackend();
  }
}
