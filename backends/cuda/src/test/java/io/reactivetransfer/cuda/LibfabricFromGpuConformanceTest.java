package io.reactivetransfer.cuda;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Profile;
import org.junit.jupiter.api.Tag;

/** In a usual build halves run over loopback, and both sides over libfabric: see WholeGpu. */
@Tag("nightly")
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
