package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A name is of one group at a time: a later epoch is joined when the one before it is over. */
class NameInUseTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).build();

  private final Cluster cluster = Cluster.loopback(2);
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    Flux.fromIterable(cluster.nodes).flatMap(MoeNode::close).blockLast(Cluster.PATIENCE);
    cluster.close();
    arena.close();
  }

  private MemorySegment memory(int rank) {
    return arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
  }

  private Mono<MoeGroup> join(long epoch, int rank) {
    return join(epoch, rank, memory(rank));
  }

  private Mono<MoeGroup> join(long epoch, int rank, MemorySegment memory) {
    return join("g", epoch, rank, memory);
  }

  private Mono<MoeGroup> join(String name, long epoch, int rank, MemorySegment memory) {
    MoeOptions options =
        MoeOptions.builder()
            .deadline(Cluster.PATIENCE.multipliedBy(2))
            .closeTimeout(Cluster.PATIENCE.multipliedBy(2))
            .build();
    return cluster.nodes.get(rank).join(name, epoch, SHAPE, cluster.addresses(), memory, options);
  }

  private Rig rig(Mono<MoeGroup> one, Mono<MoeGroup> other) {
    return new Rig(SHAPE, Cluster.await(Mono.zip(one, other, (a, b) -> List.of(a, b))));
  }

  private static void requireExact(Rig rig) {
    rig.steps(0, StepsTest.tokens(new RandomSteps(6), SHAPE, 3)).block(Cluster.PATIENCE);
    assertThat(rig.groups).noneMatch(MoeGroup::isOver);
  }

  private static String goesOn(long before, long epoch) {
    return "expected group g to be over in epoch "
        + before
        + " before this engine joins it in epoch "
        + epoch
        + ", got one that goes on; close it first, or call regroup on it";
  }

  @Test
  void aGroupThatGoesOnIsNotFollowedByAJoinOfALaterEpoch() {
    Rig rig = rig(join(0, 0), join(0, 1));
    Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(6), SHAPE);
    Mono<Void> waiting = rig.step(0, 0, tokens).cache();
    waiting.subscribe();
    assertThatThrownBy(() -> join(1, 0).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(goesOn(0, 1));
    Mono.when(waiting, rig.step(1, 0, tokens)).block(Cluster.PATIENCE);
    requireExact(rig);
  }

  @Test
  void aGroupThatHasFailedIsFollowedByAJoin() {
    Rig rig = rig(join(2, 0), join(2, 1));
    rig.begin(1, 0, new Rig.Tokens(new RandomSteps(6), SHAPE)).giveUp("test");
    Awaitility.await()
        .atMost(Cluster.PATIENCE)
        .until(() -> rig.groups.stream().allMatch(MoeGroup::isOver));
    requireExact(rig(join(3, 0), join(3, 1)));
  }

  @Test
  void aGroupThatClosesIsFollowedByAJoin() {
    Rig rig = rig(join(2, 0), join(2, 1));
    rig.groups.forEach(group -> group.close().subscribe());
    requireExact(rig(join(3, 0), join(3, 1)));
  }

  @Test
  void aGroupThatAnotherRankHasLeftIsFollowedByAJoin() {
    Rig rig = rig(join(2, 0), join(2, 1));
    Mono<MoeGroup> other =
        rig.groups.get(1).regroup(3, SHAPE, cluster.addresses(), memory(1)).cache();
    other.subscribe();
    // As soon as this rank has heard of it.
    Mono<MoeGroup> following =
        join(3, 0)
            .retryWhen(
                Retry.fixedDelay(5_000, Duration.ofMillis(10))
                    .filter(IllegalStateException.class::isInstance));
    MoeGroup followed = Cluster.await(following);
    rig.groups.get(0).close().subscribe();
    requireExact(new Rig(SHAPE, List.of(followed, Cluster.await(other))));
  }

  @Test
  void aGroupThatWasMadeAnewIsNotMadeAnewOnceMoreFromTheOneBefore() {
    Rig first = rig(join(0, 0), join(0, 1));
    MoeGroup old = first.groups.get(0);
    Rig second =
        rig(
            old.regroup(1, SHAPE, cluster.addresses(), memory(0)),
            first.groups.get(1).regroup(1, SHAPE, cluster.addresses(), memory(1)));
    assertThatThrownBy(
            () -> old.regroup(2, SHAPE, cluster.addresses(), memory(0)).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(goesOn(1, 2));
    requireExact(second);
  }

  @Test
  void aGroupIsMadeAnewOnceMoreFromTheOneBeforeWhenATryHasFailed() {
    MemorySegment[] memory = {memory(0), memory(1)};
    Rig first = rig(join(0, 0, memory[0]), join(0, 1, memory[1]));
    MoeGroup old = first.groups.get(0);
    MoeGroup oldOther = first.groups.get(1);
    Disposable joining =
        old.regroup(1, SHAPE, cluster.addresses(), memory[0]).subscribe(null, failure -> {});
    Mono<Void> left = oldOther.close().cache();
    left.block(Cluster.PATIENCE);
    joining.dispose();
    requireExact(
        rig(
            old.regroup(2, SHAPE, cluster.addresses(), memory[0]),
            oldOther.regroup(2, SHAPE, cluster.addresses(), memory[1])));
  }

  @Test
  void ofTwoJoinsOfANameTheSecondIsRefusedUntilTheFirstHasEnded() {
    MemorySegment memory = memory(0);
    Disposable first = join(1, 0, memory).subscribe(null, failure -> {});
    assertThatThrownBy(() -> join(2, 0).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "expected one join of group g at a time, got epoch 2 while this engine joins it in"
                + " epoch 1; wait until that has ended, or cancel it first");
    first.dispose();
    requireExact(rig(join(2, 0, memory), join(2, 1)));
  }

  @Test
  void whoHasCancelledAJoinJoinsTheSameEpochOfItsNameAgain() {
    MemorySegment memory = memory(0);
    for (int round = 0; round < 10; round++) {
      join(0, 0, memory).subscribe().dispose();
    }
    // The other rank has heard of these when it has joined another group of both: else it would
    // take one of them for the join that follows, of the same name and epoch.
    requireExact(rig(join("other", 0, 0, memory(0)), join("other", 0, 1, memory(1))));
    requireExact(rig(join(0, 0, memory), join(0, 1)));
  }
}
