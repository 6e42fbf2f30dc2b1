package io.reactivetransfer.membership;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tck.process.FreePorts;
import io.reactivetransfer.tcp.TcpBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Engines over TCP. */
final class TestEngines implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final EngineOptions OPTIONS =
      EngineOptions.builder().idle(IdleStrategy.backOff().withSpins(0)).build();

  private final List<TransferEngine> open = new ArrayList<>();

  TransferEngine open() {
    return open(0);
  }

  /** At this port of the loopback interface, or at any if it is 0. */
  TransferEngine open(int port) {
    TransferEngine engine =
        TransferEngineBuilder.create()
            .backend(TcpBackend.builder().host("127.0.0.1").port(port).build())
            .options(OPTIONS)
            .open()
            .block(PATIENCE);
    open.add(engine);
    return engine;
  }

  /** For an engine and its NIC, which has the next port; another may have both again later. */
  static int freePort() {
    return FreePorts.inARow(2);
  }

  static HostPort at(TransferEngine engine) {
    return engine.address().control();
  }

  static Node node(String name, TransferEngine engine) {
    return node(name, at(engine));
  }

  static Node node(String name, HostPort at) {
    return Node.of(name, "prefill", at);
  }

  @Override
  public void close() {
    open.forEach(each -> each.close().block(PATIENCE));
  }
}
