package io.reactivetransfer.cuda;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Profile;

class LibfabricWithGpuConformanceTest extends WholeGpu {

  @Override
  protected Profile profile() {
    return ofFewNics(Profile.defaults().withNicCounts(1, 2).skipIfUnavailable());
  }

  @Override
  protected Backend backend() {
    return new DeviceNics(LibfabricBackend.builder().provider("tcp").build(), _ -> true);
  }
}
