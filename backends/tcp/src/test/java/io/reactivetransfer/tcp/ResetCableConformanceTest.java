package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.TransferConformance;

/** The rules about losses, where who closes ends in a reset of its connections. */
@Chapters({"LostPeer", "Terminal", "Abort", "Shutdown", "Barrier"})
class ResetCableConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return CabledBackend.over(new TcpBackend(), _ -> {}, CabledBackend.Leaving.BY_RESET);
  }
}
