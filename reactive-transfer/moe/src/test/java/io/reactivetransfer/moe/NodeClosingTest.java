package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What the end of a node waits for, and that all who wait for it hear of it. */
class NodeClosingTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).build();

  private final Sinks.Empty<Void> mayGoOn = Sinks.empty();

  /** Whose registrations are told of when the test says so. */
  private UnaryOperator<TransferEngine> slowToRegister() {
    return engine ->
        Proxied.of(
            TransferEngine.class,
            engine,
            (method, arguments) ->
                method.equals("register")
                    ? engine
                        .register((MemorySegment) arguments[0])
                        .delayUntil(region -> mayGoOn.asMono())
                    : null);
  }

  private static Mono<MoeGroup> join(Cluster cluster, Arena arena) {
    MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    return Rig.join(cluster, "group", SHAPE, 0, memory, Rig.OPTIONS);
  }

  private static void awaitRegistered(TransferEngine engine) {
    await().atMost(Cluster.PATIENCE).until(() -> engine.stats().openRegions() == 1);
  }

  /** How many regions are open when a node has closed. */
  private static CompletableFuture<Long> regionsAtTheEnd(Cluster cluster) {
    return cluster
        .nodes
        .getFirst()
        .close()
        .then(Mono.fromSupplier(() -> cluster.engines.getFirst().stats().openRegions()))
        .toFuture();
  }

  @Test
  void aJoinThatIsStillRegisteringIsWaitedFor() {
    try (Cluster cluster = Cluster.loopback(2, slowToRegister());
        Arena arena = Arena.ofShared()) {
      CompletableFuture<MoeGroup> joining = join(cluster, arena).toFuture();
      awaitRegistered(cluster.engines.getFirst());
      CompletableFuture<Long> regions = regionsAtTheEnd(cluster);
      assertThat(regions).isNotDone();
      mayGoOn.tryEmitEmpty();
      assertThat(Mono.fromFuture(regions).block(Cluster.PATIENCE)).isZero();
      assertThatThrownBy(() -> Mono.fromFuture(joining).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("an engine and a node that are open");
    }
  }

  @Test
  void aJoinThatWasCancelledWhileItRegisteredIsWaitedFor() {
    try (Cluster cluster = Cluster.loopback(2, slowToRegister());
        Arena arena = Arena.ofShared()) {
      Disposable joining = join(cluster, arena).subscribe();
      awaitRegistered(cluster.engines.getFirst());
      joining.dispose();
      CompletableFuture<Long> regions = regionsAtTheEnd(cluster);
      assertThat(regions).isNotDone();
      mayGoOn.tryEmitEmpty();
      assertThat(Mono.fromFuture(regions).block(Cluster.PATIENCE)).isZero();
    }
  }

  /** It has told nobody anything, and leaves the name to another one. */
  @Test
  void aJoinThatWasCancelledWhileItRegisteredGivesItsMemoryBackByItself() {
    try (Cluster cluster = Cluster.loopback(2, slowToRegister());
        Arena arena = Arena.ofShared()) {
      TransferEngine engine = cluster.engines.getFirst();
      Disposable joining = join(cluster, arena).subscribe();
      awaitRegistered(engine);
      joining.dispose();
      mayGoOn.tryEmitEmpty();
      await().atMost(Cluster.PATIENCE).until(() -> engine.stats().openRegions() == 0);
      assertThat(engine.stats().openLeases()).isZero();
    }
  }

  @Test
  void whatOneOfThoseWhoWaitThrowsKeepsTheEndFromNobodyElse() {
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MoeGroup group = rig.groups.getFirst();
      group.close().subscribe(new Throwing());
      CompletableFuture<Void> ofGroup = group.close().toFuture();
      MoeNode node = cluster.nodes.getFirst();
      node.close().subscribe(new Throwing());
      CompletableFuture<Void> ofNode = node.close().toFuture();
      rig.groups.get(1).close().block(Cluster.PATIENCE);
      Mono.fromFuture(ofGroup).block(Cluster.PATIENCE);
      Mono.fromFuture(ofNode).block(Cluster.PATIENCE);
    }
  }

  /** Breaks the rule that signals must return. */
  private static final class Throwing implements CoreSubscriber<Void> {

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(Void nothing) {}

    @Override
    public void onError(Throwable failure) {
      throw new IllegalStateException("thrown by a subscriber");
    }

    @Override
    public void onComplete() {
      throw new IllegalStateException("thrown by a subscriber");
    }
  }
}
