package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.TransferConformance;
import org.junit.jupiter.api.Tag;

/** The rules about losses, where who closes has its connections ended without a goodbye. */
// A usual build has these chapters over a network that does no such thing, and faults by FaultTest.
@Tag("merge")
@Chapters({"LostPeer", "Terminal", "Abort", "Shutdown", "Barrier"})
class HalfCloseCableConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return CabledBackend.over(new TcpBackend(), _ -> {}, CabledBackend.Leaving.BY_HALF_CLOSE);
  }
}
