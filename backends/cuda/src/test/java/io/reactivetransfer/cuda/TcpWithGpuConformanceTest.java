package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tcp.TcpBackend;

/**
 * In a usual build the chapters in which bytes are written, and in which writes end half-way.
 * Losses of peers are those of LoopbackWithGpuConformanceTest; over a network they are met with
 * such memory each night only.
 */
@Chapters(
    value = {"Visibility", "Placement", "Revocation", "HalfWay"},
    unlessAll = true)
class TcpWithGpuConformanceTest extends WholeGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new TcpBackend(), _ -> true);
  }
}
