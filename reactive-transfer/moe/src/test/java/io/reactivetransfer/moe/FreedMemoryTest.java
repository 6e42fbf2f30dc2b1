package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Memory that is freed too early ends the group on all ranks, which are told whose it was. */
class FreedMemoryTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).privateTokens(2).build();

  private final Cluster cluster = Cluster.loopback(2);
  private final Arena kept = Arena.ofShared();
  private final Arena freed = Arena.ofShared();
  private final Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(5), SHAPE);

  @AfterEach
  void close() {
    cluster.close();
    kept.close();
    if (freed.scope().isAlive()) {
      freed.close();
    }
  }

  /** Of which rank 0 has its memory of the arena that is freed, or its flags, or neither. */
  private Rig rig(boolean ownsFreedMemory, boolean ownsFreedFlags) {
    List<Mono<MoeGroup>> joining = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      Arena arena = rank == 0 && ownsFreedMemory ? freed : kept;
      MoeOptions.Builder options =
          MoeOptions.builder().closeTimeout(Cluster.PATIENCE.multipliedBy(2));
      if (rank == 0 && ownsFreedFlags) {
        options.arrivalFlags(freed.allocate(24, 8));
      }
      MemorySegment memory = arena.allocate(SHAPE.memory(rank).bytes(), MoeMemory.ALIGNMENT);
      joining.add(Rig.join(cluster, "experts", SHAPE, rank, memory, options.build()));
    }
    List<MoeGroup> groups = Cluster.await(Flux.mergeSequential(joining).collectList());
    return new Rig(SHAPE, groups);
  }

  private static Mono<String> outcome(Mono<Void> step) {
    Mono<String> outcome =
        step.thenReturn("done")
            .onErrorResume(
                GroupFailedException.class,
                e -> Mono.just(e.rank().orElse(-1) + " " + e.getMessage()))
            .cache();
    outcome.subscribe();
    return outcome;
  }

  /** Rank 1 begins before rank 0. */
  private void requireNamed(Rig rig, String text, Mono<Void> ofRank0) {
    Mono<String> other = outcome(rig.step(1, 0, tokens));
    Mono<String> own = outcome(ofRank0);
    String expected =
        "0 group experts is over: rank 0 (" + cluster.addresses().get(0) + "): " + text;
    assertThat(List.of(Cluster.await(own), Cluster.await(other))).containsOnly(expected);
    rig.close();
  }

  private static final String OF_GROUP =
      "expected memory of the group until close() has completed, got "
          + SHAPE.memory(0).bytes()
          + " bytes that were freed before; close the group, then the arena";

  @Test
  void memoryOfAGroupThatIsFreedBetweenSteps() {
    Rig rig = rig(true, false);
    rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
    freed.close();
    requireNamed(rig, OF_GROUP, rig.step(0, 0, tokens));
  }

  /** The rank itself notices nothing before others write there. */
  @Test
  void memoryOfARankThatDoesNothing() {
    Rig rig = rig(true, false);
    rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
    freed.close();
    String failure = Cluster.await(outcome(rig.step(1, 0, tokens)));
    assertThat(failure).startsWith("0 group experts is over: rank 0 ").endsWith(OF_GROUP);
    Mono<String> own = outcome(rig.step(0, 0, tokens));
    assertThat(Cluster.await(own)).startsWith("0 ").endsWith(OF_GROUP);
    rig.close();
  }

  @Test
  void memoryOfAGroupThatItsExpertsFree() {
    Rig rig = rig(true, false);
    // The other rank may need nothing of its experts, and have ended before.
    Mono<String> other = outcome(rig.step(1, 0, tokens));
    Mono<String> own = outcome(rig.step(0, 0, tokens, batch -> freed.close()));
    assertThat(Cluster.await(own)).startsWith("0 group experts is over: rank 0").endsWith(OF_GROUP);
    assertThat(Cluster.await(other))
        .satisfiesAnyOf(
            end -> assertThat(end).isEqualTo("done"), end -> assertThat(end).endsWith(OF_GROUP));
    assertThat(Cluster.await(outcome(rig.step(1, 0, tokens)))).endsWith(OF_GROUP);
    rig.close();
  }

  @Test
  void memoryThatIsFreedWhileRanksJoin() {
    MemorySegment memory = freed.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    Mono<MoeGroup> joining = Rig.join(cluster, "g", SHAPE, 0, memory, Rig.OPTIONS).cache();
    joining.subscribe(null, failure -> {});
    org.awaitility.Awaitility.await()
        .atMost(Cluster.PATIENCE)
        .until(() -> cluster.engines.get(0).stats().openLeases() == 1);
    freed.close();
    MemorySegment other = kept.allocate(SHAPE.memory(1).bytes(), MoeMemory.ALIGNMENT);
    Mono<MoeGroup> second = Rig.join(cluster, "g", SHAPE, 1, other, Rig.OPTIONS).cache();
    second.subscribe(null, failure -> {});
    assertThatThrownBy(() -> joining.block(Cluster.PATIENCE))
        .isInstanceOf(GroupFailedException.class)
        .hasMessageContaining(": rank 0 ")
        .hasMessageEndingWith(OF_GROUP);
  }

  @Test
  void arrivalFlags() {
    Rig rig = rig(false, true);
    rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
    freed.close();
    requireNamed(
        rig,
        "expected arrival flags until close() has completed, got 24 bytes that were freed"
            + " before; close the group, then the arena",
        rig.step(0, 0, tokens));
  }

  @Test
  void tokensThatAreFreedBeforeTheyAreSent() {
    Rig rig = rig(false, false);
    MemorySegment payload = freed.allocate(tokens.payload[0].byteSize() + 1);
    Mono<Void> step = rig.begin(0, 0, tokens).run(payload, _ -> Mono.empty(), rig.sums(0, tokens));
    freed.close();
    requireNamed(
        rig,
        "expected tokens until dispatchSend has ended on lane 0, got "
            + payload.byteSize()
            + " bytes that were freed before",
        step);
  }

  @Test
  void sumsThatExpertsFree() {
    Rig rig = rig(false, false);
    MemorySegment sums = freed.allocate(rig.sums(0, tokens).byteSize() + 1);
    // The other rank has its results, so it may have ended before.
    Mono<String> other = outcome(rig.step(1, 0, tokens));
    Mono<String> own =
        outcome(
            rig.begin(0, 0, tokens)
                .run(
                    tokens.payload[0],
                    batch ->
                        Mono.fromRunnable(() -> {
                          Model.compute(SHAPE, batch);
                          freed.close();
                        }),
                    sums));
    String text =
        "expected sums until combineReceive has ended on lane 0, got "
            + sums.byteSize()
            + " bytes that were freed before";
    assertThat(Cluster.await(own)).startsWith("0 group experts is over: rank 0").endsWith(text);
    assertThat(Cluster.await(other)).matches("done|0 group experts is over: .*" + text + ".*");
    assertThat(Cluster.await(outcome(rig.step(1, 0, tokens)))).endsWith(text);
    rig.close();
  }

  @Test
  void whatIsFreedAlreadyIsRefusedAndTheGroupGoesOn() {
    Rig rig = rig(false, false);
    MemorySegment payload = freed.allocate(1_024, 16);
    freed.close();
    MoeStep step = rig.begin(0, 0, tokens);
    MemorySegment sums = rig.sums(0, tokens);
    assertThatThrownBy(() -> step.dispatchSend(payload))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected tokens in memory that lives, got 1024 bytes that were freed");
    assertThatThrownBy(() -> step.combineReceive(payload))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected sums in memory that lives, got 1024 bytes that were freed");
    assertThatThrownBy(() -> step.run(payload, _ -> Mono.empty(), sums))
        .hasMessageStartingWith("expected tokens in memory that lives");
    assertThatThrownBy(() -> step.run(tokens.payload[0], _ -> Mono.empty(), payload))
        .hasMessageStartingWith("expected sums in memory that lives");
    rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
    assertThat(rig.groups).noneMatch(MoeGroup::isOver);
    rig.close();
  }

  @Test
  void whatIsFreedAlreadyIsNotJoined() {
    MemorySegment memory = freed.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    MemorySegment flags = freed.allocate(24, 8);
    MoeOptions options = MoeOptions.builder().arrivalFlags(flags).build();
    freed.close();
    MemorySegment other = kept.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
    assertThatThrownBy(() -> Rig.join(cluster, "g", SHAPE, 0, memory, Rig.OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("expected sections in memory that lives, got ");
    assertThatThrownBy(() -> Rig.join(cluster, "g", SHAPE, 0, other, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected arrival flags in memory that lives, got 24 bytes that were freed");
    assertThatThrownBy(() -> MoeOptions.builder().arrivalFlags(flags))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected arrival flags in memory that lives, got 24 bytes that were freed");
  }
}
