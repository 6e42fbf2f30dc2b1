package io.reactivetransfer.cuda;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;

/** What of both ways a half can show; all else, over libfabric with both sides on a GPU. */
@Chapters(
    value = {"Visibility", "Placement"},
    unlessAll = true)
class LibfabricFromGpuConformanceTest extends HalfGpu {

  @Override
  protected Profile profile() {
    return Profile.defaults().withNicCounts(1, 2).skipIfUnavailable();
  }

  @Override
  protected Backend backend() {
    return new DeviceNics(
        LibfabricBackend.builder().provider("tcp").build(), access -> !access.allowsRemoteWrite());
  }
}
