package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Further chapters of {@link TcpTwoProcessesConformanceTest}. A usual build has them in one
 * process, and losses of processes by the rules about those.
 */
@Tag("nightly")
@Chapters({"Arrival", "LostPeer", "Abort", "Counting", "Message"})
class TcpTwoProcessesFurtherConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH =
      new TwoProcesses(TcpTwoProcessesConformanceTest.Tcp.class);

  @AfterAll
  static void end() {
    BOTH.close();
  }

  @Override
  protected Backend backend() {
    return BOTH;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
