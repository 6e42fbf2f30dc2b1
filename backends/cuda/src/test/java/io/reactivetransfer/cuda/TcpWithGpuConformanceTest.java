package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tcp.TcpBackend;

/** In a usual build without losses of peers, which LoopbackWithGpuConformanceTest has. */
@Chapters(
    value = {"Visibility", "Placement", "Revocation", "HalfWay"},
    unlessAll = true)
class TcpWithGpuConformanceTest extends WholeGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new TcpBackend(), _ -> true);
  }
}
