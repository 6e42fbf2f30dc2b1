package io.reactivetransfer.tcp.process;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.ProcessConformance;
import io.reactivetransfer.tck.process.ProcessBackend;
import io.reactivetransfer.tcp.TcpBackend;
import java.util.List;
import java.util.function.Supplier;

/** Peers in processes that are killed, stopped, started anew and cut off. */
class TcpProcessConformanceTest extends ProcessConformance {

  static final class Tcp implements ProcessBackend {
    @Override
    public Backend get() {
      return new TcpBackend();
    }

    @Override
    public Backend at(String advertisedHost, int port) {
      return TcpBackend.builder().advertisedHost(advertisedHost).port(port).build();
    }
  }

  @Override
  protected Class<? extends Supplier<Backend>> backend() {
    return Tcp.class;
  }

  @Override
  protected List<String> jvmOptions() {
    return List.of("-Xmx256m", "-Dio.netty.noUnsafe=true");
  }
}
