package io.reactivetransfer.cuda;

import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.NicChapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.BeforeAll;

/** All memory is a GPU's, on both sides; what an engine does by itself has a run without. */
@NicChapters
class LoopbackWithGpuConformanceTest extends TransferConformance {

  @BeforeAll
  static void loadTheDriver() {
    Gpus.load();
  }

  @Override
  protected Backend backend() {
    return new DeviceNics(new LoopbackBackend(), _ -> true);
  }

  @Override
  protected Profile profile() {
    return WholeGpu.ofFewNics(Profile.defaults());
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return ShownMemory.in(arena);
  }
}
