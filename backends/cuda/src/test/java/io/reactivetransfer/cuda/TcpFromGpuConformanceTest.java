package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tcp.TcpBackend;
import org.junit.jupiter.api.Tag;

/** In a usual build halves run over loopback, and both sides over tcp: see WholeGpu. */
@Tag("nightly")
class TcpFromGpuConformanceTest extends HalfGpu {

  @Override
  protected Backend backend() {
    return new DeviceNics(new TcpBackend(), access -> !access.allowsRemoteWrite());
  }
}
