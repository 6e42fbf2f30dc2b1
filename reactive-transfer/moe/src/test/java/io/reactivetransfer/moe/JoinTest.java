package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** All ranks are in a group, or none is, and whoever is not has everything back. */
class JoinTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).build();

  private final Cluster cluster = Cluster.loopback(2);
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    cluster.close();
    arena.close();
  }

  private Mono<MoeGroup> join(int rank, MoeShape shape, MoeOptions options) {
    MemorySegment memory = arena.allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    return Rig.join(cluster, "group", shape, rank, memory, options);
  }

  private List<String> outcomes(MoeShape one, MoeShape other) {
    return Cluster.await(
        Flux.mergeSequential(
                Flux.just(outcome(join(0, one, Rig.OPTIONS)), outcome(join(1, other, Rig.OPTIONS))))
            .collectList());
  }

  private static Mono<String> outcome(Mono<MoeGroup> joining) {
    return joining
        .map(group -> "joined")
        .onErrorResume(GroupFailedException.class, e -> Mono.just(String.valueOf(e.getMessage())));
  }

  /** A lease is given back by the NIC's thread, after its close has returned. */
  private void requireNothingLeft() {
    await().atMost(Cluster.PATIENCE).untilAsserted(this::requireNothingLeftNow);
  }

  private void requireNothingLeftNow() {
    for (TransferEngine engine : cluster.engines) {
      assertThat(engine.stats().openRegions()).isZero();
      assertThat(engine.stats().openLeases()).isZero();
    }
  }

  @Test
  void ranksOfDifferentShapesDoNotJoin() {
    MoeShape other = MoeShape.builder(ExpertPlacement.even(2, 4), 3, 8, 24, 4).build();
    assertThat(outcomes(SHAPE, other))
        .allMatch(outcome -> outcome.startsWith("group group is over: rank "))
        .anyMatch(outcome -> outcome.contains("has another shape: 4 experts on 2 ranks"))
        .anyMatch(outcome -> outcome.contains("top 2") && outcome.contains("top 3"));
    requireNothingLeft();
  }

  @Test
  void ranksWhosePlacementsDifferDoNotJoin() {
    MoeShape other =
        MoeShape.builder(ExpertPlacement.of(2, new int[][] {{1}, {1}, {0}, {0}}), 2, 8, 24, 4)
            .build();
    assertThat(outcomes(SHAPE, other))
        .anyMatch(
            outcome -> outcome.contains("has another placement, other groups or other ranks"));
    requireNothingLeft();
  }

  @Test
  void whoeverIsMissingIsNamedAndNothingIsLeft() {
    MoeOptions options = MoeOptions.builder().joinDeadline(Duration.ofMillis(300)).build();
    assertThat(Cluster.await(outcome(join(0, SHAPE, options))))
        .startsWith("group group is over: rank 1 (loopback:")
        .contains("has not joined within PT0.3S; missing are: rank 1 ");
    requireNothingLeft();
  }

  @Test
  void whoeverCancelsHasEverythingBack() {
    Disposable joining = join(0, SHAPE, Rig.OPTIONS).subscribe();
    await().atMost(Cluster.PATIENCE).until(() -> cluster.engines.get(0).stats().openLeases() == 1);
    joining.dispose();
    requireNothingLeft();
  }

  @Test
  void theNameMayBeUsedAgainAndWhoComesLaterIsWaitedFor() {
    for (int round = 0; round < 2; round++) {
      Mono<MoeGroup> first = join(round, SHAPE, Rig.OPTIONS).cache();
      first.subscribe();
      int engine = round;
      await()
          .atMost(Cluster.PATIENCE)
          .until(() -> cluster.engines.get(engine).stats().openLeases() == 1);
      MoeGroup second = Cluster.await(join(1 - round, SHAPE, Rig.OPTIONS));
      Mono.when(Cluster.await(first).close(), second.close()).block(Cluster.PATIENCE);
      requireNothingLeft();
    }
  }

  @Test
  void anEngineIsInAGroupOnce() {
    Mono<MoeGroup> first = join(0, SHAPE, Rig.OPTIONS).cache();
    first.subscribe();
    // Who asks has joined.
    TransferEngine asked = cluster.engines.get(1);
    await()
        .atMost(Cluster.PATIENCE)
        .until(() -> asked.peer(cluster.engines.get(0).address()).stats().messagesReceived() > 0);
    assertThatThrownBy(() -> join(0, SHAPE, Rig.OPTIONS).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected a group that this engine is not in, got group again; close it first");
    MoeGroup second = Cluster.await(join(1, SHAPE, Rig.OPTIONS));
    Mono.when(Cluster.await(first).close(), second.close()).block(Cluster.PATIENCE);
  }

  /** A task that is left holds the group, its memory and its recorder, for as long as it waits. */
  @Test
  void nothingIsLeftToTimersWhenAGroupHasClosed() {
    Timers timers = new Timers();
    Mono<MoeGroup> first = join(0, SHAPE, MoeOptions.builder().timers(timers).build()).cache();
    first.subscribe();
    await().atMost(Cluster.PATIENCE).until(() -> timers.tasks.size() == 2);
    MoeGroup second = Cluster.await(join(1, SHAPE, Rig.OPTIONS));
    MoeGroup joined = Cluster.await(first);
    assertThat(timers.tasks).isEmpty();
    Mono<Void> closing = joined.close().cache();
    closing.subscribe();
    await().atMost(Cluster.PATIENCE).until(() -> timers.tasks.size() == 1);
    Mono.when(closing, second.close()).block(Cluster.PATIENCE);
    assertThat(timers.tasks).isEmpty();
  }

  @Test
  void nothingIsLeftToTimersWhenAJoinHasFailed() {
    Timers timers = new Timers();
    Disposable joining = join(0, SHAPE, MoeOptions.builder().timers(timers).build()).subscribe();
    await().atMost(Cluster.PATIENCE).until(() -> timers.tasks.size() == 2);
    joining.dispose();
    cluster.nodes.get(0).close().block(Cluster.PATIENCE);
    assertThat(timers.tasks).isEmpty();
  }

  /** Where no time passes: what is to be done later waits until nobody wants it any more. */
  private static final class Timers implements Scheduler {
    final Set<Runnable> tasks = ConcurrentHashMap.newKeySet();

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      tasks.add(task);
      return () -> tasks.remove(task);
    }

    @Override
    public Disposable schedule(Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Worker createWorker() {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void badArgumentsAreThrown() {
    MoeNode node = cluster.nodes.get(0);
    List<PeerAddress> ranks = cluster.addresses();
    MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    MemorySegment small = memory.asSlice(0, 1_024);
    assertThatThrownBy(() -> node.join("g", SHAPE, ranks, small, Rig.OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "expected memory of at least "
                + SHAPE.memory(0).bytes()
                + " bytes at a multiple of 256");
    assertThatThrownBy(() -> node.join("", SHAPE, ranks, memory, Rig.OPTIONS))
        .hasMessage("expected bytes of a name of 1 to 255, got 0");
    assertThatThrownBy(() -> node.join("g", SHAPE, ranks.subList(0, 1), memory, Rig.OPTIONS))
        .hasMessage("expected the addresses of 2 ranks, got 1");
    assertThatThrownBy(
            () -> node.join("g", SHAPE, List.of(ranks.get(0), ranks.get(0)), memory, Rig.OPTIONS))
        .hasMessageStartingWith("expected different engines, got ");
    MemorySegment heap = MemorySegment.ofArray(new byte[(int) SHAPE.memory(0).bytes()]);
    assertThatThrownBy(() -> node.join("g", SHAPE, ranks, heap, Rig.OPTIONS))
        .hasMessageStartingWith("expected native memory");
  }

  @Test
  void whatStrangersSayIsDropped() {
    try (Cluster all = Cluster.loopback(3)) {
      MoeShape shape = SHAPE;
      Cluster two = all.first(2);
      try (Rig rig = new Rig(two, "group", shape, Rig.OPTIONS)) {
        GroupEpoch group = new GroupEpoch("group", 0);
        TransferEngine stranger = all.engines.get(2);
        for (MoeMessage message :
            List.of(
                new MoeMessage.GiveUp(group, 0, MoeMessage.NOT_HEARD, "nonsense"),
                new MoeMessage.Leave(group, List.of(0L)),
                new MoeMessage.Tell(group, 0, 1))) {
          stranger
              .send(
                  stranger.peer(all.engines.get(0).address()),
                  Mail.CHANNEL,
                  MoeCodec.encode(message))
              .block(Cluster.PATIENCE);
        }
        rig.steps(0, StepsTest.tokens(new RandomSteps(1), shape, 3)).block(Cluster.PATIENCE);
        assertThat(rig.groups).noneMatch(MoeGroup::isOver);
      }
    }
  }
}
