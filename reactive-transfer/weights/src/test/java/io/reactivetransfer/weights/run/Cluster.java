package io.reactivetransfer.weights.run;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Engines that reach each other, made as they are needed, for one test after the other. */
final class Cluster implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Supplier<TransferEngineBuilder> builder;

  /** The most that engines send or take that are made from now on. */
  int maxMessageBytes = 1 << 20;

  private final List<TransferEngine> trainers = new ArrayList<>();
  private final List<TransferEngine> targets = new ArrayList<>();

  private Cluster(Supplier<TransferEngineBuilder> builder) {
    this.builder = builder;
  }

  static Cluster loopback() {
    LoopbackNetwork network = new LoopbackNetwork();
    return new Cluster(() ->
        TransferEngineBuilder.create().backend(LoopbackBackend.builder().network(network).build()));
  }

  /** Engines that send no longer messages. */
  static Cluster ofMessages(int maxMessageBytes) {
    Cluster cluster = loopback();
    cluster.maxMessageBytes = maxMessageBytes;
    return cluster;
  }

  /** NICs that write one row after the other, and say no more than that a write has left. */
  static Cluster sourceFree() {
    Backend backend =
        new ForwardingBackend(
            LoopbackBackend.builder().network(new LoopbackNetwork()).build(),
            (domain, context) ->
                new ForwardingDomain(domain) {
                  @Override
                  public Capabilities capabilities() {
                    return inner.capabilities().toBuilder()
                        .maxRows(1)
                        .completion(CompletionLevel.SOURCE_FREE)
                        .build();
                  }
                });
    return new Cluster(() -> TransferEngineBuilder.create().backend(backend));
  }

  static Cluster tcp() {
    return new Cluster(() -> TransferEngineBuilder.create().backend("tcp"));
  }

  TransferEngine trainer(int index) {
    return engine(trainers, index);
  }

  TransferEngine target(int index) {
    return engine(targets, index);
  }

  /** Of the first ranks of the trainer. */
  List<PeerAddress> addresses(int count) {
    List<PeerAddress> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      addresses.add(trainer(i).address());
    }
    return addresses;
  }

  private TransferEngine engine(List<TransferEngine> engines, int index) {
    while (engines.size() <= index) {
      EngineOptions options =
          EngineOptions.builder()
              .nics(1)
              .maxMessageBytes(maxMessageBytes)
              .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
              .livenessDeadline(Duration.ofSeconds(8)) // many engines share few processors
              .build();
      engines.add(await(builder.get().options(options).open()));
    }
    return engines.get(index);
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @Override
  public void close() {
    trainers.forEach(engine -> engine.close().block(PATIENCE));
    targets.forEach(engine -> engine.close().block(PATIENCE));
  }
}
