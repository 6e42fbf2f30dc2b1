package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.TransferConformance;

/** The rules about losses, where who closes has its connections ended without a goodbye. */
@Chapters({"LostPeer", "Terminal", "Abort", "Shutdown", "Barrier"})
class HalfCloseCableConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return CabledBackend.over(new TcpBackend(), _ -> {}, CabledBackend.Leaving.BY_HALF_CLOSE);
  }
}
