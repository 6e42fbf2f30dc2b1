package io.reactivetransfer.libfabric.process;

import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.Profile;
import java.util.function.Supplier;

/** Peers in processes that are killed and stopped, over the provider tcp. */
class LibfabricProcessConformanceTest extends ProcessConformance {

  static final class Tcp implements Supplier<Backend> {
    @Override
    public Backend get() {
      return LibfabricBackend.builder().provider("tcp").build();
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
