package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Who lives, asks again and again and reads nothing of what it is told, keeps nobody else from
 * being told.
 */
class DeafRankTest {

  private static final int DEAF = 3;
  private static final Duration SHORT = Duration.ofMillis(200);

  private final AtomicReference<EngineId> deaf = new AtomicReference<>();
  private final Cluster cluster =
      Cluster.loopback(
          4,
          engine ->
              Proxied.of(
                  TransferEngine.class,
                  engine,
                  (method, arguments) ->
                      method.equals("send") && ((Peer) arguments[0]).id().equals(deaf.get())
                          ? Mono.never()
                          : null));
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    Flux.fromIterable(cluster.nodes).flatMap(MoeNode::close).blockLast(Cluster.PATIENCE);
    cluster.close();
    arena.close();
  }

  private Mono<MoeGroup> join(Duration deadline, int engine, int... engines) {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(engines.length, 12), 2, 8, 24, 4).build();
    List<PeerAddress> addresses = new ArrayList<>();
    for (int each : engines) {
      addresses.add(cluster.engines.get(each).address());
    }
    MemorySegment memory = arena.allocate(shape.memory(0).bytes(), MoeMemory.ALIGNMENT);
    MoeOptions options = MoeOptions.builder().joinDeadline(deadline).build();
    return cluster.nodes.get(engine).join("group", 1, shape, addresses, memory, options);
  }

  private static String failure(Mono<MoeGroup> joining) {
    String text =
        joining
            .map(group -> "joined")
            .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))
            .block(Cluster.PATIENCE);
    return String.valueOf(text);
  }

  /** The deaf one wants to join what it is none of. */
  private Disposable askOnAndOn() {
    TransferEngine engine = cluster.engines.get(DEAF);
    RegionDescriptor memory = Cluster.await(engine.register(arena.allocate(64, 64))).descriptor();
    MoeMessage join =
        new MoeMessage.Join(new GroupEpoch("group", 1), 2, true, 0, "", "", 0, memory);
    Peer first = engine.peer(cluster.engines.get(0).address());
    deaf.set(engine.address().engine());
    return Flux.interval(Duration.ofMillis(5))
        .onBackpressureDrop()
        .concatMap(_ -> engine.send(first, Mail.CHANNEL, MoeCodec.encode(join)))
        .subscribe();
  }

  @Test
  void aStrangerIsToldThatItIsNone() {
    Disposable one = join(Cluster.PATIENCE, 0, 0, 1).subscribe();
    Disposable asking = askOnAndOn();
    assertThat(failure(join(Duration.ofSeconds(40), 2, 0, 1, 2)))
        .contains("is none of the ranks of group group");
    asking.dispose();
    one.dispose();
  }

  @Test
  void whoComesTooLateIsToldWhy() {
    assertThat(failure(join(SHORT, 0, 0, 1))).contains("has not joined");
    Disposable asking = askOnAndOn();
    assertThat(failure(join(Duration.ofSeconds(40), 1, 0, 1))).contains("(says rank 0 ");
    asking.dispose();
  }
}
