package io.reactivetransfer.kvcache;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What carries the bytes of a test; the engines of one test are on one network. */
enum Backends {
  LOOPBACK(() -> loopback(can -> can)),
  TCP(() -> null),

  /** A NIC that writes one row after the other, as libfabric does. */
  ONE_ROW(() -> loopback(can -> can.maxRows(1))),

  /** A NIC that says no more than that a write has left, and writes one row after the other. */
  SOURCE_FREE(() -> loopback(can -> can.maxRows(1).completion(CompletionLevel.SOURCE_FREE)));

  private final Supplier<Backend> network;

  Backends(Supplier<Backend> network) {
    this.network = network;
  }

  /** Makes engines that reach each other. */
  Supplier<TransferEngineBuilder> open() {
    Backend backend = network.get();
    return backend == null
        ? () -> TransferEngineBuilder.create().backend("tcp")
        : () -> TransferEngineBuilder.create().backend(backend);
  }

  private static Backend loopback(UnaryOperator<Capabilities.Builder> change) {
    return new ForwardingBackend(
        LoopbackBackend.builder().network(new LoopbackNetwork()).build(),
        (domain, context) -> new Changed(domain, change));
  }

  private static final class Changed extends ForwardingDomain {
    private final UnaryOperator<Capabilities.Builder> change;

    Changed(Domain inner, UnaryOperator<Capabilities.Builder> change) {
      super(inner);
      this.change = change;
    }

    @Override
    public Capabilities capabilities() {
      return change.apply(inner.capabilities().toBuilder()).build();
    }
  }
}
