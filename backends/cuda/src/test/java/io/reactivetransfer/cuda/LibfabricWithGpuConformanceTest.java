package io.reactivetransfer.cuda;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;

/**
 * In a usual build the chapters about bytes, and about writes that end half-way: libfabric without
 * such memory has the others, and such memory over tcp.
 */
@Chapters(
    value = {"Visibility", "HalfWay"},
    unlessAll = true)
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
