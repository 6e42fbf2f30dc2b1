package io.reactivetransfer.libfabric.process;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.process.ProcessBackend;
import java.util.function.Supplier;

/** Peers in processes that are killed, stopped, started anew and cut off, over the provider tcp. */
class LibfabricProcessConformanceTest extends ProcessConformance {

  static final class Tcp implements ProcessBackend {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider("tcp").build();
    }

    /**
     * What the provider listens on is its own choice: of the network, the control channel is cut.
     */
    @Override
    public Backend at(String advertisedHost, int port) {
      return LibfabricBackend.builder()
          .provider("tcp")
          .advertised(advertisedHost)
          .port(port)
          .build();
    }
  }

  @Override
  protected Class<? extends Supplier<Backend>> backend() {
    return Tcp.class;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults().skipIfUnavailable();
  }
}
