package io.reactivetransfer.cuda;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.BeforeAll;

/** All memory is a GPU's, on both sides. */
class LibfabricWithGpuConformanceTest extends TransferConformance {

  @BeforeAll
  static void loadTheDriver() {
    Gpus.load();
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().skipIfUnavailable();
  }

  @Override
  protected Backend backend() {
    return new DeviceNics(LibfabricBackend.builder().provider("tcp").build(), _ -> true);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return ShownMemory.in(arena);
  }
}
