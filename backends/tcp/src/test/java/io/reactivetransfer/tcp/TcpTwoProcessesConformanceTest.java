package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;

/** What crosses the border between two processes, with event loops on both sides. */
@Chapters({"Visibility", "Arrival", "LostPeer", "Abort", "Revocation", "Counting", "Message"})
class TcpTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new TcpBackend();
    }
  }

  @AfterAll
  static void end() {
    BOTH.close();
  }

  @Override
  protected Backend backend() {
    return BOTH;
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
