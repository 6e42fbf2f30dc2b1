package io.reactivetransfer.tcp;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;

/**
 * What crosses the border between two processes, with event loops on both sides. The engines, and
 * so their sessions, are in one of them: NICs in the other can prove none, so nobody asks for
 * proofs here.
 */
abstract class TcpInTwoProcesses extends TransferConformance {

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return new SessionlessBackend((nic, _) -> nic);
    }
  }

  private final TwoProcesses both;

  TcpInTwoProcesses(TwoProcesses both) {
    this.both = both;
  }

  @Override
  protected Backend backend() {
    return both;
  }

  @Override
  protected Profile profile() {
    Profile all = Profile.defaults();
    return Boolean.getBoolean(Chapters.ALL) ? all.withNicCounts(1, 2) : all.withNicCounts(2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return both.memory();
  }
}
