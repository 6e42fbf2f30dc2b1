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

/** Memory is of one group at a time, from its join until it has closed. */
class SharedMemoryTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).build();

  private static final long BYTES = SHAPE.memory(0).bytes();

  private final Cluster cluster = Cluster.loopback(2);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(2 * BYTES, MoeMemory.ALIGNMENT);
  private final MemorySegment other = arena.allocate(BYTES, MoeMemory.ALIGNMENT);
  private final MemorySegment flags = arena.allocate(48, 8);

  @AfterEach
  void close() {
    // All at once, since each waits for the others.
    Flux.fromIterable(cluster.nodes).flatMap(MoeNode::close).blockLast(Cluster.PATIENCE);
    cluster.close();
    arena.close();
  }

  private static MoeOptions.Builder options() {
    return MoeOptions.builder().closeTimeout(Cluster.PATIENCE.multipliedBy(2));
  }

  private Mono<MoeGroup> join(String name, MemorySegment memory, MoeOptions options) {
    return Rig.join(cluster, name, SHAPE, 0, memory, options);
  }

  private Mono<MoeGroup> otherRank(String name) {
    MemorySegment own = arena.allocate(SHAPE.memory(1).bytes(), MoeMemory.ALIGNMENT);
    return Rig.join(cluster, name, SHAPE, 1, own, options().build());
  }

  private Rig rig(String name, MemorySegment memory, MoeOptions options) {
    return new Rig(
        SHAPE,
        Cluster.await(
            Mono.zip(
                join(name, memory, options), otherRank(name), (one, two) -> List.of(one, two))));
  }

  private static void requireExact(Rig rig) {
    rig.steps(0, StepsTest.tokens(new RandomSteps(6), SHAPE, 3)).block(Cluster.PATIENCE);
    assertThat(rig.groups).noneMatch(MoeGroup::isOver);
  }

  private static String range(String what, MemorySegment of, long bytes) {
    return what + " (" + bytes + " bytes at 0x" + Long.toHexString(of.address()) + ")";
  }

  private static String shared(String one, String other, String more) {
    return "expected memory that no other group uses on this engine, got "
        + one
        + " for group second, where "
        + other
        + " of group first is; "
        + more;
  }

  private static final String CLOSE = "wait until close() of that one has completed";

  @Test
  void aGroupIsNotJoinedInMemoryOfAnother() {
    try (Rig first = rig("first", memory.asSlice(0, BYTES), options().build())) {
      assertThatThrownBy(() -> join("second", memory, options().build()).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              shared(range("memory", memory, BYTES), range("memory", memory, BYTES), CLOSE));
      MemorySegment overlapping = memory.asSlice(BYTES - 256);
      assertThatThrownBy(
              () -> join("second", overlapping, options().build()).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              shared(range("memory", overlapping, BYTES), range("memory", memory, BYTES), CLOSE));
      requireExact(first);
      try (Rig second = rig("second", memory.asSlice(BYTES), options().build())) {
        requireExact(second); // right behind the first one
        requireExact(first);
      }
    }
  }

  @Test
  void arrivalFlagsAreOfOneGroup() {
    try (Rig first = rig("first", memory, options().arrivalFlags(flags).build())) {
      MemorySegment last = flags.asSlice(16);
      assertThatThrownBy(() ->
              join("second", other, options().arrivalFlags(last).build()).block(Cluster.PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              shared(range("arrival flags", last, 24), range("arrival flags", flags, 24), CLOSE));
      MemorySegment within = memory.asSlice(64, 24);
      assertThatThrownBy(() ->
              join("second", other, options().arrivalFlags(within).build()).block(Cluster.PATIENCE))
          .hasMessage(
              shared(range("arrival flags", within, 24), range("memory", memory, BYTES), CLOSE));
      requireExact(first);
      MoeOptions next = options().arrivalFlags(flags.asSlice(24)).build();
      try (Rig second = rig("second", other, next)) {
        requireExact(second);
      }
    }
  }

  @Test
  void arrivalFlagsDoNotLieInMemoryOfTheirGroup() {
    MoeOptions options = options().arrivalFlags(memory.asSlice(64, 24)).build();
    assertThatThrownBy(() -> join("group", memory, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected arrival flags outside of the memory of the group, got ");
  }

  @Test
  void memoryIsFreeWhenTheGroupHasClosed() {
    for (String name : List.of("first", "second")) {
      Rig rig = rig(name, memory, options().arrivalFlags(flags).build());
      requireExact(rig);
      Mono.when(rig.groups.get(0).close(), rig.groups.get(1).close()).block(Cluster.PATIENCE);
    }
  }

  @Test
  void memoryOfAGroupThatHasFailedIsFreeWhenItHasClosed() {
    Rig rig = rig("first", memory, options().build());
    rig.begin(1, 0, new Rig.Tokens(new RandomSteps(6), SHAPE)).giveUp("test");
    Awaitility.await().atMost(Cluster.PATIENCE).until(rig.groups.get(0)::isOver);
    assertThatThrownBy(() -> join("second", memory, options().build()).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith(CLOSE);
    Mono.when(rig.groups.get(0).close(), rig.groups.get(1).close()).block(Cluster.PATIENCE);
    requireExact(rig("second", memory, options().build()));
  }

  @Test
  void ofTwoJoinsInOneMemoryTheSecondIsRefused() {
    Mono<MoeGroup> joining = join("first", memory, options().build()).cache();
    joining.subscribe();
    assertThatThrownBy(() -> join("second", memory, options().build()).block(Cluster.PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            shared(
                range("memory", memory, BYTES),
                range("memory", memory, BYTES),
                "wait until that join has ended, or cancel it first"));
    MoeGroup second = Cluster.await(otherRank("first"));
    requireExact(new Rig(SHAPE, List.of(Cluster.await(joining), second)));
  }

  @Test
  void memoryIsFreeWhenAJoinHasFailed() {
    MoeOptions soon = options().joinDeadline(Duration.ofMillis(100)).build();
    assertThatThrownBy(() -> join("first", memory, soon).block(Cluster.PATIENCE))
        .isInstanceOf(GroupFailedException.class);
    requireExact(rig("second", memory, options().build()));
  }

  @Test
  void memoryOfAJoinThatIsCancelledIsWaitedFor() {
    for (int round = 0; round < 20; round++) {
      Disposable joining = join("first", memory, options().build()).subscribe();
      if (round % 2 == 0) {
        Awaitility.await()
            .atMost(Cluster.PATIENCE)
            .until(() -> cluster.engines.get(0).stats().openLeases() == 1);
      }
      joining.dispose();
      Rig rig = rig("second", memory, options().build());
      requireExact(rig);
      Mono.when(rig.groups.get(0).close(), rig.groups.get(1).close()).block(Cluster.PATIENCE);
    }
    assertThat(cluster.engines.get(0).stats().openRegions()).isZero();
  }
}
