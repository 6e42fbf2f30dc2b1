package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Memory;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PeerAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Whoever gives null where there must be something is told which of the arguments it was. */
class NullArgumentsTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).build();

  private static void requireNamed(String name, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(NullPointerException.class)
        .hasMessageStartingWith(name)
        .satisfies(e -> {
          if (e.getMessage().contains("because")) {
            throw new AssertionError("said by the JVM and not by the method", e);
          }
        });
  }

  @Test
  void ofAStep() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, MoeOptions.defaults())) {
      Rig.Tokens tokens = StepsTest.tokens(new RandomSteps(3), SHAPE, 1).getFirst();
      MemorySegment sums = rig.sums(0, tokens);
      MoeStep step = rig.begin(0, 0, tokens);
      MemorySegment payload = tokens.payload[0];
      requireNamed("tokens", () -> step.dispatchSend((MemorySegment) null));
      requireNamed("tokens", () -> step.dispatchSend((Memory) null));
      requireNamed("tokens", () -> step.dispatchSend((Memory) null, 16));
      requireNamed("tokens", () -> step.dispatchSend((MemorySlice) null));
      requireNamed("tokens", () -> step.dispatchSend((MemorySlice) null, 16));
      requireNamed("tokens", () -> step.run((MemorySlice) null, _ -> Mono.empty(), (Memory) null));
      requireNamed("sums", () -> step.combineReceive((MemorySegment) null));
      requireNamed("sums", () -> step.combineReceive((Memory) null));
      requireNamed("sums", () -> step.combineReceive((Memory) null, 16));
      requireNamed("tokens", () -> step.run((MemorySegment) null, _ -> Mono.empty(), sums));
      requireNamed("experts", () -> step.run(payload, null, sums));
      requireNamed("sums", () -> step.run(payload, _ -> Mono.empty(), null));
      requireNamed("tokens", () -> step.run((Memory) null, _ -> Mono.empty(), (Memory) null));
      requireNamed("why", () -> step.giveUp(null));
      requireNamed("experts", () -> rig.groups.get(0).lane(0).begin(0, null, new float[0]));
      requireNamed("weights", () -> rig.groups.get(0).lane(0).begin(0, new int[0], null));
      step.run(
              payload,
              batch -> {
                requireNamed("told", () -> batch.runs(0, null));
                return Mono.empty();
              },
              sums)
          .block(Cluster.PATIENCE);
    }
  }

  @Test
  void ofAJoin() {
    try (Cluster cluster = Cluster.loopback(1);
        Arena arena = Arena.ofShared()) {
      MoeNode node = cluster.nodes.get(0);
      List<PeerAddress> ranks = cluster.addresses();
      MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
      MoeOptions options = MoeOptions.defaults();
      List<PeerAddress> withNull = Arrays.asList((PeerAddress) null);
      requireNamed("engine", () -> MoeNode.open(null));
      requireNamed("name", () -> node.join(null, SHAPE, ranks, memory, options));
      requireNamed("shape", () -> node.join("g", null, ranks, memory, options));
      requireNamed("ranks", () -> node.join("g", SHAPE, null, memory, options));
      requireNamed("ranks[0]", () -> node.join("g", SHAPE, withNull, memory, options));
      requireNamed("memory", () -> node.join("g", SHAPE, ranks, null, options));
      requireNamed("options", () -> node.join("g", SHAPE, ranks, memory, null));
      MoeGroup group = Cluster.await(node.join("g", SHAPE, ranks, memory, options));
      requireNamed("shape", () -> group.regroup(1, null, ranks, memory));
      requireNamed("ranks", () -> group.regroup(1, SHAPE, null, memory));
      requireNamed("ranks[0]", () -> group.regroup(1, SHAPE, withNull, memory));
      requireNamed("memory", () -> group.regroup(1, SHAPE, ranks, null));
      group.close().block(Cluster.PATIENCE);
    }
  }

  @Test
  void ofShapesAndOptions() {
    MoeShape.Builder shape = MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4);
    requireNamed("placement", () -> MoeShape.builder(null, 2, 4, 16, 4));
    requireNamed("groups", () -> shape.groups(null));
    requireNamed("type", () -> shape.resultType(null));
    requireNamed("type", () -> shape.sumType(null));
    requireNamed("groupOf", () -> RankGroups.of((int[]) null));
    requireNamed("ranksOf", () -> ExpertPlacement.of(1, null));
    requireNamed("ranksOf[1]", () -> ExpertPlacement.of(1, new int[][] {{0}, null}));
    requireNamed("shape", () -> MoeMemory.of(null, 0, 1));
    requireNamed("section", () -> SHAPE.memory(0).length(null));
    requireNamed("section", () -> SHAPE.memory(0).offset(0, null));
    requireNamed("section", () -> SHAPE.memory(0).expertOffset(0, null));
    requireNamed("memory", () -> FloatType.FP32.get(null, 0));
    requireNamed("memory", () -> FloatType.BF16.set(null, 0, 1));
    MoeOptions.Builder options = MoeOptions.builder();
    requireNamed("deadline", () -> options.deadline(null));
    requireNamed("joinDeadline", () -> options.joinDeadline(null));
    requireNamed("closeTimeout", () -> options.closeTimeout(null));
    requireNamed("scheduler", () -> options.scheduler(null));
    requireNamed("timers", () -> options.timers(null));
    requireNamed("words", () -> options.arrivalFlags(null));
    requireNamed("memory", () -> options.expertMemory(null));
    requireNamed("recorder", () -> options.recorder(null));
    requireNamed("next", () -> MoeRecorder.NONE.andThen(null));
  }
}
