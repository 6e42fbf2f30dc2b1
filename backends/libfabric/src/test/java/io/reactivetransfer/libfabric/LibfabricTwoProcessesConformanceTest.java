package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * The kit over the provider tcp, from one process to another and back. The provider has sockets
 * within a process as well, over which {@link LibfabricConformanceTest} runs in a usual build, as
 * the rules about peers in other processes do. Without the chapter on Reactive Streams, which opens
 * hundreds of engines, and is about what an engine does itself.
 */
@Tag("nightly")
@Chapters(except = "ReactiveStreams")
class LibfabricTwoProcessesConformanceTest extends TransferConformance {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider("tcp").build();
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
    return Profile.defaults().skipIfUnavailable().withNicCounts(1, 2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
