package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tokens in memory that is registered are sent from where they are; whatever else happens to it.
 */
class RegisteredTokensTest {

  /** More than a lane keeps writes for. */
  private static final int REGIONS = TokenSources.MOST + 3;

  /** Of which most tokens of the other rank come when the routes of all have. */
  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).privateTokens(2).build();

  private final Cluster cluster = Cluster.loopback(2);
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    cluster.close();
    arena.close();
  }

  /** As many tokens as it goes, each with an expert on either rank. */
  private static Rig.Tokens tokens() {
    return tokens(8);
  }

  /** The same, with fewer of the first rank. */
  private static Rig.Tokens tokens(int ofFirst) {
    Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(5), SHAPE);
    for (int rank = 0; rank < 2; rank++) {
      int count = rank == 0 ? ofFirst : 8;
      tokens.count[rank] = count;
      tokens.payload[rank] = MemorySegment.ofArray(new byte[8 * 24]).fill((byte) (3 + rank));
      tokens.experts[rank] = new int[16];
      tokens.weights[rank] = new float[16];
      for (int i = 0; i < 16; i++) {
        tokens.experts[rank][i] = i % 2 == 0 ? i % 4 / 2 : 2 + i % 4 / 2;
        tokens.weights[rank][i] = i;
      }
      tokens.expected[rank] =
          Model.reference(
              SHAPE, count, tokens.payload[rank], tokens.experts[rank], tokens.weights[rank]);
    }
    return tokens;
  }

  private MemoryRegion region(int engine, MemorySegment tokens) {
    MemorySegment memory = arena.allocate(Math.max(1, tokens.byteSize())).copyFrom(tokens);
    return Cluster.await(
        cluster.engines.get(engine).register(new HostMemory(memory), Access.LOCAL));
  }

  private static Mono<String> outcome(Mono<Void> step) {
    Mono<String> outcome =
        step.thenReturn("done")
            .onErrorResume(e -> Mono.just(String.valueOf(e.getMessage())))
            .cache();
    outcome.subscribe();
    return outcome;
  }

  private static Mono<Void> run(Rig rig, int rank, Rig.Tokens tokens, MemorySlice slice) {
    return Mono.defer(() -> {
      HostMemory sums =
          new HostMemory(Arena.ofAuto().allocate(tokens.count[rank] * SHAPE.sumBytes() + 1));
      return rig.begin(rank, 0, tokens)
          .run(slice, batch -> Mono.fromRunnable(() -> Model.compute(rig.shape, batch)), sums)
          .doOnSuccess(done ->
              rig.requireExact(
                  rank, tokens, sums.segment().asSlice(0, tokens.expected[rank].byteSize())));
    });
  }

  @Test
  void moreRegionsInTurnThanALaneKeepsWritesForAreExact() {
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      List<Rig.Tokens> steps = StepsTest.tokens(new RandomSteps(9), SHAPE, REGIONS);
      List<List<MemoryRegion>> regions = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        List<MemoryRegion> ofRank = new ArrayList<>();
        for (Rig.Tokens step : steps) {
          ofRank.add(region(rank, step.payload[rank]));
        }
        regions.add(ofRank);
      }
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < REGIONS; i++) {
          Rig.Tokens step = steps.get(i);
          int at = i;
          Flux.range(0, 2)
              .flatMap(rank -> {
                MemoryRegion region = regions.get(rank).get(at);
                long bytes = step.count[rank] * SHAPE.tokenBytes();
                return run(rig, rank, step, region.slice(0, bytes));
              })
              .blockLast(Cluster.PATIENCE);
          if (round == 1 && i % 2 == 0) { // closed after a step, and others in their place
            for (int rank = 0; rank < 2; rank++) {
              regions.get(rank).get(i).close().block(Cluster.PATIENCE);
              regions.get(rank).set(i, region(rank, step.payload[rank]));
            }
          }
        }
      }
    }
  }

  /** It lies where all others may write, and would have tokens sent that nobody has given. */
  @Test
  void whatOthersWriteOverARowThatWasSentChangesNothing() {
    MoeMemory memory = SHAPE.memory(0);
    OwnRouting all = new OwnRouting(SHAPE, 0);
    all.route(8, tokens().experts[0]);
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      Rig.Tokens first = tokens();
      MemoryRegion region = region(0, first.payload[0]);
      Mono.when(run(rig, 0, first, region.whole()), rig.step(1, 0, first)).block(Cluster.PATIENCE);
      Rig.Tokens second = tokens(1);
      Mono<String> fewer = outcome(run(rig, 0, second, region.slice(0, SHAPE.tokenBytes())));
      MemorySegment there = rig.memory.get(1);
      long rowThere = SHAPE.memory(1).offset(0, Section.ROWS);
      MemorySegment late =
          there.asSlice(
              SHAPE.memory(1).offset(0, Section.OVERFLOW),
              SHAPE.memory(1).length(Section.OVERFLOW));
      MemorySegment before = Arena.ofAuto().allocate(late.byteSize()).fill((byte) 0x11);
      late.copyFrom(before);
      var ignored =
          Mono.delay(Duration.ofMillis(1))
              .repeat()
              .takeUntil(_ -> there.get(ValueLayout.JAVA_LONG_UNALIGNED, rowThere) == 2)
              .blockLast(Cluster.PATIENCE);
      RouteRow.write(
          rig.memory.get(0).asSlice(memory.offset(0, Section.OWN_ROW), RouteRow.bytes(SHAPE)),
          2,
          all);
      rig.step(1, 0, second).block(Cluster.PATIENCE);
      assertThat(Cluster.await(fewer)).isEqualTo("done");
      assertThat(late.mismatch(before)).as("what was sent and not given").isEqualTo(-1);
      Mono.when(rig.step(0, 0, first), rig.step(1, 0, first)).block(Cluster.PATIENCE);
    }
  }

  @Test
  void nobodyPutsThemInSendOrderNorResultsInBlocks() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      List<MemorySegment> sections = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        for (Section section : List.of(Section.SEND, Section.BLOCKS)) {
          MoeMemory memory = SHAPE.memory(rank);
          sections.add(
              rig.memory
                  .get(rank)
                  .asSlice(memory.offset(0, section), memory.length(section))
                  .fill((byte) 0x11));
        }
      }
      Flux.range(0, 2)
          .flatMap(rank -> run(rig, rank, tokens, region(rank, tokens.payload[rank]).whole()))
          .blockLast(Cluster.PATIENCE);
      for (MemorySegment section : sections) {
        assertThat(section.byteSize()).isPositive();
        assertThat(section.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x11);
      }
    }
  }

  @Test
  void enginesWhoseNicsGatherNothingSendThemExactlyToo() {
    try (Cluster plain =
            Cluster.loopback(
                2,
                engine ->
                    Proxied.of(
                        TransferEngine.class,
                        engine,
                        (method, _) -> method.equals("maxGather") ? 1 : null));
        Rig rig = new Rig(plain, SHAPE, Rig.OPTIONS)) {
      rig.steps(0, StepsTest.tokens(new RandomSteps(4), SHAPE, 12)).block(Cluster.PATIENCE);
    }
  }

  @Test
  void ofAnotherEngineTheyAreRefusedAndTheStepCanBegin() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MoeStep step = rig.begin(0, 0, tokens);
      MemorySlice ofOther = region(1, tokens.payload[0]).whole();
      assertThatThrownBy(() -> step.dispatchSend(ofOther))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "expected tokens that are registered with the group's engine "
                  + cluster.engines.get(0).id()
                  + ", got some of "
                  + cluster.engines.get(1).id());
      rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
    }
  }

  @Test
  void tooFewOrOfAClosedRegionTheyAreRefusedAndTheStepCanBegin() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MemoryRegion region = region(0, tokens.payload[0]);
      MemorySlice whole = region.whole();
      MoeStep step = rig.begin(0, 0, tokens);
      assertThatThrownBy(() -> step.dispatchSend(region.slice(1, whole.length() - 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("expected tokens of at least 24 bytes at a stride of");
      assertThatThrownBy(() -> step.dispatchSend(whole, 23))
          .isInstanceOf(IllegalArgumentException.class);
      region.close().block(Cluster.PATIENCE);
      assertThatThrownBy(() -> step.dispatchSend(whole))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("expected tokens in an open region, got one of 192 bytes that is closed");
      rig.steps(0, List.of(tokens)).block(Cluster.PATIENCE);
      assertThat(rig.groups).noneMatch(MoeGroup::isOver);
    }
  }

  private static final String CLOSED =
      "expected the region of the tokens to be open until dispatchSend has ended on lane 0, got one"
          + " of 192 bytes that was closed before";

  private void requireNamed(Mono<String> own, Mono<String> other) {
    String expected =
        "group experts is over: rank 0 (" + cluster.addresses().get(0) + "): " + CLOSED;
    assertThat(List.of(Cluster.await(own), Cluster.await(other))).containsOnly(expected);
  }

  @Test
  void whoseRegionIsClosedBeforeTheyAreSentEndTheGroup() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MemoryRegion region = region(0, tokens.payload[0]);
      Mono<Void> step =
          rig.begin(0, 0, tokens)
              .run(region.whole(), _ -> Mono.empty(), new HostMemory(arena.allocate(256)));
      region.close().block(Cluster.PATIENCE);
      Mono<String> other = outcome(rig.step(1, 0, tokens));
      requireNamed(outcome(step), other);
    }
  }

  /** The first of them are sent, and the others when the other rank begins. */
  @Test
  void whoseRegionIsClosedWhileTheyAreSentEndTheGroup() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MemoryRegion region = region(0, tokens.payload[0]);
      Mono<String> own = outcome(run(rig, 0, tokens, region.whole()));
      region.close().block(Cluster.PATIENCE);
      requireNamed(own, outcome(rig.step(1, 0, tokens)));
    }
  }

  @Test
  void whoseStepIsCancelledAreQuietWhenTheGroupHasClosed() {
    Rig.Tokens tokens = tokens();
    try (Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      MemoryRegion region = region(0, tokens.payload[0]);
      // The other rank has not begun, so not all can have been sent.
      rig.begin(0, 0, tokens).dispatchSend(region.whole()).subscribe().dispose();
      Mono<String> other = outcome(rig.step(1, 0, tokens));
      assertThat(Cluster.await(other)).contains("has cancelled a step on lane 0");
      Mono.when(rig.groups.get(0).close(), rig.groups.get(1).close()).block(Cluster.PATIENCE);
      region.close().block(Cluster.PATIENCE);
      assertThat(cluster.engines.get(0).stats().transfersInFlight()).isZero();
    }
  }

  @Test
  void stepsThatAreOneObjectForgetThem() {
    Rig.Tokens tokens = tokens();
    MoeOptions reusing = MoeOptions.builder().reuseSteps(true).build();
    try (Rig rig = new Rig(cluster, SHAPE, reusing)) {
      List<MemoryRegion> regions = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        regions.add(region(rank, tokens.payload[rank]));
      }
      Flux.range(0, 2)
          .flatMap(rank -> run(rig, rank, tokens, regions.get(rank).whole()))
          .blockLast(Cluster.PATIENCE);
      for (int rank = 0; rank < 2; rank++) {
        regions.get(rank).close().block(Cluster.PATIENCE);
      }
      Flux.range(0, 2).flatMap(rank -> rig.step(rank, 0, tokens)).blockLast(Cluster.PATIENCE);
      assertThat(rig.groups).noneMatch(MoeGroup::isOver);
    }
  }
}
