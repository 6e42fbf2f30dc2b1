package io.reactivetransfer.examples.found;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.membership.NodePeer;
import io.reactivetransfer.membership.NodePeers;
import io.reactivetransfer.membership.NodeRanks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Engines over tcp that know nothing of each other but what a membership says. */
final class FoundEngines implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final EngineOptions OPTIONS =
      EngineOptions.builder()
          .idle(IdleStrategy.backOff().withSpins(0)) // most wait for one that works
          .livenessDeadline(Duration.ofSeconds(30))
          .build();

  final EnteredNodes membership = new EnteredNodes();
  private final List<TransferEngine> open = new ArrayList<>();

  TransferEngine open() {
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend("tcp").options(OPTIONS).open());
    open.add(engine);
    return engine;
  }

  /** All ranks of a role, as soon as they are there. */
  Mono<List<PeerAddress>> ranks(TransferEngine engine, String role, int ranks) {
    return NodeRanks.addresses(engine, membership, role, ranks, PATIENCE);
  }

  /** Until an engine has heard that so many nodes of a role live. */
  void awaitAlive(TransferEngine engine, String role, int count) {
    await(
        NodePeers.of(engine, membership, node -> node.role().equals(role))
            .filter(known -> known.stream().filter(NodePeer::isAlive).count() == count)
            .next());
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @Override
  public void close() {
    Flux.fromIterable(open).flatMap(TransferEngine::close).then().block(PATIENCE);
  }
}
