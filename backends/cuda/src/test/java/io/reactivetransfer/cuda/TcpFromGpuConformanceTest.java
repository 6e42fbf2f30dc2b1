package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tcp.TcpBackend;

class TcpFromGpuConformanceTest extends HalfGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new TcpBackend(), access -> !access.allowsRemoteWrite());
  }
}
