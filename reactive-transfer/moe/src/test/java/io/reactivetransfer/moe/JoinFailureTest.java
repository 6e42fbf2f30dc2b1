package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.ImmLease;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Whatever becomes of a rank while others join, they are told soon, once, and have all back. */
class JoinFailureTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(3, 6), 2, 8, 24, 4).build();

  /** None of these may have to wait for a deadline. */
  private static final MoeOptions OPTIONS =
      MoeOptions.builder()
          .joinDeadline(Cluster.PATIENCE.multipliedBy(5))
          .closeTimeout(Cluster.PATIENCE.multipliedBy(5))
          .build();

  private static Mono<MoeGroup> join(Cluster cluster, int rank, Arena arena) {
    MemorySegment memory = arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    return Rig.join(cluster, "group", SHAPE, rank, memory, OPTIONS);
  }

  /** The ranks 0 and 1 join, and rank 2 does what it is told; how the joins of both have ended. */
  private static List<String> outcomes(Cluster cluster, Runnable partOfRank2) {
    try (Arena arena = Arena.ofShared()) {
      List<Mono<String>> joining = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        joining.add(
            join(cluster, rank, arena)
                .map(group -> "joined")
                .onErrorResume(
                    GroupFailedException.class,
                    e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()))
                .cache());
      }
      List<Disposable> under = joining.stream().map(Mono::subscribe).toList();
      for (int rank = 0; rank < 2; rank++) {
        // It has begun to join, or that has failed already.
        Disposable own = under.get(rank);
        TransferEngine engine = cluster.engines.get(rank);
        await()
            .atMost(Cluster.PATIENCE)
            .until(() -> own.isDisposed() || engine.stats().openLeases() == 1);
      }
      partOfRank2.run();
      List<String> outcomes = Cluster.await(Flux.mergeSequential(joining).collectList());
      requireNothingLeft(cluster.engines.subList(0, 2));
      return outcomes;
    }
  }

  private static void awaitMessageFrom(TransferEngine sender, TransferEngine receiver) {
    await()
        .atMost(Cluster.PATIENCE)
        .until(() -> receiver.peer(sender.address()).stats().messagesReceived() > 0);
  }

  private static void awaitLeases(TransferEngine engine, int leases) {
    await().atMost(Cluster.PATIENCE).until(() -> engine.stats().openLeases() == leases);
  }

  private static void requireNothingLeft(List<TransferEngine> engines) {
    for (TransferEngine engine : engines) {
      awaitLeases(engine, 0);
      await().atMost(Cluster.PATIENCE).until(() -> engine.stats().openRegions() == 0);
    }
  }

  @Test
  void whoGivesUpBeforeItHasJoinedIsNamedByAllOthers() {
    try (Cluster cluster = Cluster.loopback(3)) {
      TransferEngine third = cluster.engines.get(2);
      List<String> outcomes =
          outcomes(
              cluster,
              () -> {
                // Who asks has joined: what it is told before that is of a group it does not know.
                for (TransferEngine joining : cluster.engines.subList(0, 2)) {
                  awaitMessageFrom(joining, third);
                }
                MoeMessage giveUp =
                    new MoeMessage.GiveUp(
                        new GroupEpoch("group", 0), 2, MoeMessage.NOT_HEARD, "has no memory");
                for (int rank = 0; rank < 2; rank++) {
                  third
                      .send(
                          third.peer(cluster.engines.get(rank).address()),
                          Mail.CHANNEL,
                          MoeCodec.encode(giveUp))
                      .block(Cluster.PATIENCE);
                }
              });
      assertThat(outcomes)
          .allMatch(outcome -> outcome.startsWith("2 group group is over: rank 2 "))
          .allMatch(outcome -> outcome.endsWith(": has no memory"));
    }
  }

  /** Without timers nobody can wait for anything: that is said at once, and nothing is left. */
  @Test
  void timersThatTakeNoTasksEndAJoin() {
    MoeOptions options = MoeOptions.builder().timers(Schedulers.immediate()).build();
    try (Cluster cluster = Cluster.loopback(3);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
      Mono<MoeGroup> joining = Rig.join(cluster, "group", SHAPE, 0, memory, options);
      assertThatThrownBy(() -> joining.block(Cluster.PATIENCE))
          .isInstanceOf(GroupFailedException.class)
          .hasMessageContaining("its timers take no tasks");
      requireNothingLeft(cluster.engines);
    }
  }

  @Test
  void whoDiesBeforeItHasJoinedIsNamedByAllOthers() {
    try (Cluster cluster = Cluster.loopback(3)) {
      assertThat(outcomes(cluster, () -> cluster.engines.get(2).close().block(Cluster.PATIENCE)))
          .allMatch(outcome -> outcome.startsWith("2 group group is over: rank 2 "))
          .allMatch(outcome -> outcome.contains("was lost"));
    }
  }

  @Test
  void whoDiedBeforeOthersJoinedIsNamedByThem() {
    try (Cluster cluster = Cluster.tcp(3)) {
      cluster.engines.get(2).close().block(Cluster.PATIENCE);
      assertThat(outcomes(cluster, () -> {}))
          .allMatch(outcome -> outcome.startsWith("2 group group is over: rank 2 "))
          .allMatch(outcome -> outcome.contains("was lost"));
    }
  }

  private static UnaryOperator<TransferEngine> whoseMessagesAreNotTaken() {
    return engine ->
        Proxied.of(
            TransferEngine.class,
            engine,
            (method, arguments) -> method.equals("send") ? Mono.never() : null);
  }

  @Test
  void memoryComesBackThoughNobodyTakesTheLastMessages() {
    try (Cluster cluster = Cluster.loopback(3, whoseMessagesAreNotTaken());
        Arena arena = Arena.ofShared()) {
      Disposable joining = join(cluster, 0, arena).subscribe();
      awaitLeases(cluster.engines.get(0), 1);
      joining.dispose();
      requireNothingLeft(cluster.engines.subList(0, 1));
    }
  }

  @Test
  void aNodeThatClosesDuringAJoinGivesAllBackOnceAndEndsIt() {
    AtomicInteger given = new AtomicInteger();
    AtomicInteger said = new AtomicInteger();
    UnaryOperator<TransferEngine> counting =
        engine ->
            Proxied.of(
                TransferEngine.class,
                engine,
                (method, arguments) -> {
                  if (method.equals("send")) {
                    said.incrementAndGet();
                  }
                  if (!method.equals("lease")) {
                    return null;
                  }
                  ImmLease lease = engine.lease((int) arguments[0]);
                  return Proxied.of(
                      ImmLease.class,
                      lease,
                      (of, with) -> {
                        if (of.equals("close")) {
                          given.incrementAndGet();
                        }
                        return null;
                      });
                });
    try (Cluster cluster = Cluster.loopback(3, counting);
        Arena arena = Arena.ofShared()) {
      AtomicInteger ends = new AtomicInteger();
      List<Throwable> failures = new ArrayList<>();
      join(cluster, 0, arena)
          .doFinally(end -> ends.incrementAndGet())
          .subscribe(null, failures::add);
      // Now the node has the group; with the lease alone it may not have it yet.
      await().atMost(Cluster.PATIENCE).until(() -> said.get() > 0);
      cluster.nodes.get(0).close().block(Cluster.PATIENCE);
      await().atMost(Cluster.PATIENCE).until(() -> ends.get() == 1 && failures.size() == 1);
      assertThat(failures.get(0))
          .isInstanceOf(GroupFailedException.class)
          .hasMessageContaining("was closed while it joined");
      requireNothingLeft(cluster.engines.subList(0, 1));
      assertThat(given).hasValue(1);
    }
  }

  @Test
  void aNodeThatClosesAfterAJoinWasCancelledWaitsUntilAllIsBack() {
    try (Cluster cluster = Cluster.loopback(3);
        Arena arena = Arena.ofShared()) {
      Disposable joining = join(cluster, 0, arena).subscribe();
      awaitLeases(cluster.engines.get(0), 1);
      joining.dispose();
      cluster.nodes.get(0).close().block(Cluster.PATIENCE);
      assertThat(cluster.engines.get(0).stats().openRegions()).isZero();
    }
  }

  @Test
  void aNodeThatHasClosedJoinsNothing() {
    try (Cluster cluster = Cluster.loopback(3);
        Arena arena = Arena.ofShared()) {
      cluster.nodes.get(0).close().block(Cluster.PATIENCE);
      assertThat(
              Cluster.await(
                  join(cluster, 0, arena)
                      .map(group -> "joined")
                      .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))))
          .isEqualTo("expected an engine and a node that are open, got one that has closed");
      assertThat(cluster.engines.get(0).stats().openRegions()).isZero();
    }
  }

  @Test
  void aSecondNodeOfAnEngineJoinsNothing() {
    try (Cluster cluster = Cluster.loopback(3);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
      MoeNode second = MoeNode.open(cluster.engines.get(0));
      assertThatThrownBy(() ->
              second
                  .join("group", SHAPE, cluster.addresses(), memory, OPTIONS)
                  .block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "expected one MoeNode on this engine, got another one that reads its messages"
                  + " already");
      assertThat(cluster.engines.get(0).stats().openRegions()).isZero();
      assertThat(cluster.engines.get(0).stats().openLeases()).isZero();
    }
  }
}
