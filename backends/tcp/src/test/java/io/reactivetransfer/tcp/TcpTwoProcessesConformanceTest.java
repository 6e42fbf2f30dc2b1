package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;

/**
 * What crosses the border between two processes, with event loops on both sides. The engines, and
 * so their sessions, are in one of them: NICs in the other can prove none, so nobody asks for
 * proofs here.
 */
@Chapters({"Visibility", "Revocation"})
class TcpTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new SessionlessBackend((nic, _) -> nic);
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
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
