package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tcp.TcpBackend;

class TcpWithGpuConformanceTest extends WholeGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new TcpBackend(), _ -> true);
  }
}
