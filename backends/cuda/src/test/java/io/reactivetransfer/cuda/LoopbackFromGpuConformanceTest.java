package io.reactivetransfer.cuda;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;

class LoopbackFromGpuConformanceTest extends HalfGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new LoopbackBackend(), access -> !access.allowsRemoteWrite());
  }
}
