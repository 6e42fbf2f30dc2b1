package io.reactivetransfer.moe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Engines that reach each other, with a node for experts on each. */
final class Cluster implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  final List<TransferEngine> engines = new ArrayList<>();
  final List<MoeNode> nodes = new ArrayList<>();

  private Cluster(
      Supplier<TransferEngineBuilder> builder, int ranks, UnaryOperator<TransferEngine> wrap) {
    // Most wait for one that works.
    this(builder, ranks, wrap, IdleStrategy.backOff().withSpins(0), null);
  }

  private Cluster(
      Supplier<TransferEngineBuilder> builder,
      int ranks,
      UnaryOperator<TransferEngine> wrap,
      IdleStrategy idle,
      Scheduler signals) {
    EngineOptions options =
        EngineOptions.builder()
            .nics(1)
            .idle(idle)
            .livenessDeadline(Duration.ofSeconds(8)) // many share few processors
            .signalScheduler(signals)
            .build();
    for (int rank = 0; rank < ranks; rank++) {
      engines.add(await(builder.get().options(options).open()));
      nodes.add(MoeNode.open(wrap.apply(engines.get(rank))));
    }
  }

  static Cluster loopback(int ranks) {
    return loopback(ranks, engine -> engine);
  }

  static Cluster loopback(int ranks, UnaryOperator<TransferEngine> wrap) {
    LoopbackNetwork network = new LoopbackNetwork();
    // In any order, and so little at once that others get in between.
    LoopbackBackend.Builder backend =
        LoopbackBackend.builder()
            .network(network)
            .reorder(ranks)
            .queueDepth(4)
            .maxCopyBytesPerPoll(128);
    return new Cluster(() -> TransferEngineBuilder.create().backend(backend.build()), ranks, wrap);
  }

  /** As it is used for anything but tests: in order, and as much at once as it goes. */
  static Cluster plainLoopback(int ranks) {
    LoopbackBackend backend = LoopbackBackend.builder().network(new LoopbackNetwork()).build();
    return new Cluster(
        () -> TransferEngineBuilder.create().backend(backend), ranks, engine -> engine);
  }

  /** Whose signals come on the threads of their NICs, which spin before they sleep. */
  static Cluster onNicThreads(int ranks) {
    LoopbackBackend backend = LoopbackBackend.builder().network(new LoopbackNetwork()).build();
    return new Cluster(
        () -> TransferEngineBuilder.create().backend(backend),
        ranks,
        engine -> engine,
        IdleStrategy.backOff(),
        Schedulers.immediate());
  }

  static Cluster tcp(int ranks) {
    return new Cluster(
        () -> TransferEngineBuilder.create().backend("tcp"), ranks, engine -> engine);
  }

  private Cluster(List<TransferEngine> engines, List<MoeNode> nodes) {
    this.engines.addAll(engines);
    this.nodes.addAll(nodes);
  }

  /** The first of these; they are closed with all. */
  Cluster first(int ranks) {
    return new Cluster(engines.subList(0, ranks), nodes.subList(0, ranks));
  }

  List<PeerAddress> addresses() {
    return engines.stream().map(TransferEngine::address).toList();
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.close().onErrorComplete().block(PATIENCE));
    engines.forEach(engine -> engine.close().block(PATIENCE));
  }
}
