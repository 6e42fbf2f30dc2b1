package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Words that say how many steps' tokens and results have come, and batches are complete. */
class FlagsTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).lanes(2).build();
  private static final int TOKENS = 0;
  private static final int RESULTS = 1;
  private static final int BATCH = 2;

  private final MemorySegment words = Arena.ofAuto().allocate(48, 8);

  /** The memory of the rank that has flags. */
  private MemorySegment firstMemory = MemorySegment.NULL;

  private MoeOptions options() {
    return MoeOptions.builder().arrivalFlags(words).build();
  }

  private long word(int lane, int what) {
    long at = (3L * lane + what) * Long.BYTES;
    return (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(words, at);
  }

  /** A rank by itself: nobody writes to it, and each step is seen all the same. */
  @Test
  void eachStepRaisesThoseOfItsLane() {
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, options())) {
      List<Rig.Tokens> tokens = StepsTest.tokens(new RandomSteps(3), SHAPE, 4);
      for (int step = 0; step < tokens.size(); step++) {
        rig.step(0, 1, tokens.get(step)).block(Cluster.PATIENCE);
        assertThat(word(1, TOKENS)).isEqualTo(step + 1);
        assertThat(word(1, RESULTS)).isEqualTo(step + 1);
        assertThat(word(1, BATCH)).isEqualTo(step + 1);
        assertThat(word(0, TOKENS)).isZero();
        assertThat(word(0, RESULTS)).isZero();
        assertThat(word(0, BATCH)).isZero();
      }
    }
    for (int lane = 0; lane < 2; lane++) {
      assertThat(word(lane, TOKENS)).isEqualTo(Long.MAX_VALUE);
      assertThat(word(lane, RESULTS)).isEqualTo(Long.MAX_VALUE);
      assertThat(word(lane, BATCH)).isEqualTo(Long.MAX_VALUE);
    }
  }

  /** A thread that spins sees the tokens of another rank, and nothing before they have come. */
  @Test
  void whoSpinsSeesWhatHasCome() {
    MoeShape shape = MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(shape, joinFirstWithFlags(cluster, shape))) {
      Rig.Tokens tokens = StepsTest.tokens(new RandomSteps(3), shape, 1).getFirst();
      MoeStep own = rig.begin(0, 0, tokens);
      own.dispatchSend(tokens.payload[0]).subscribe();
      own.dispatchReceive().subscribe();
      assertThat(word(0, TOKENS)).isZero();
      MoeStep other = rig.begin(1, 0, tokens);
      Mono.when(other.dispatchSend(tokens.payload[1]), other.dispatchReceive())
          .block(Cluster.PATIENCE);
      long end = System.nanoTime() + Cluster.PATIENCE.toNanos();
      while (word(0, TOKENS) < 1 && System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      assertThat(word(0, TOKENS)).isEqualTo(1);
      assertThat(word(0, RESULTS)).isZero();
      other.giveUp("on purpose");
      while (word(0, RESULTS) < 1 && System.nanoTime() - end < 0) {
        Thread.onSpinWait(); // nobody who waits for a step waits for ever
      }
      assertThat(word(0, RESULTS)).isEqualTo(Long.MAX_VALUE);
    }
  }

  /**
   * Who sees the third word finds the tokens of each expert by the routes alone, as an accelerator
   * has to, which is told nothing.
   */
  @Test
  void whoSeesThatTheBatchIsCompleteFindsTheTokensByTheRoutes() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4).expertAlignment(4).build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(shape, joinFirstWithFlags(cluster, shape))) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(5), shape);
      MoeStep own = rig.begin(0, 0, tokens);
      MoeStep other = rig.begin(1, 0, tokens);
      own.dispatchSend(tokens.payload[0]).subscribe(null, closed -> {});
      other.dispatchSend(tokens.payload[1]).subscribe(null, closed -> {});
      awaitWord(TOKENS, 1);
      assertThat(word(0, BATCH)).isZero(); // nobody has asked for it
      CompletableFuture<ExpertBatch> batch = own.dispatchReceive().toFuture();
      awaitWord(BATCH, 1);
      assertThat(word(0, RESULTS)).isZero();
      int row = 0;
      for (int expert = 0; expert < 2; expert++) {
        row = Math.ceilDiv(row, 4) * 4;
        for (int from = 0; from < 2; from++) {
          int count = routed(shape, from, expert);
          for (int pair = 0; pair < tokens.experts[from].length; pair++) {
            if (tokens.experts[from][pair] == expert) {
              long at = shape.memory(0).offset(0, Section.TOKENS) + 16L * row++;
              MemorySegment sent = tokens.payload[from].asSlice(pair / 2 * 16L, 16);
              assertThat(firstMemory.asSlice(at, 16).mismatch(sent)).isEqualTo(-1);
              count--;
            }
          }
          assertThat(count).isZero();
        }
      }
      assertThat(batch).succeedsWithin(Cluster.PATIENCE);
    }
  }

  /** The same in place: each group's lie where they have come, in its send order. */
  @Test
  void whoSeesThatTheBatchIsCompleteFindsTokensInPlaceByTheRoutes() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(2, 4), 2, 4, 16, 4)
            .privateTokens(2)
            .inPlace(true)
            .build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(shape, joinFirstWithFlags(cluster, shape))) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(5), shape);
      MoeStep own = rig.begin(0, 0, tokens);
      MoeStep other = rig.begin(1, 0, tokens);
      own.dispatchSend(tokens.payload[0]).subscribe(null, closed -> {});
      other.dispatchSend(tokens.payload[1]).subscribe(null, closed -> {});
      CompletableFuture<ExpertBatch> batch = own.dispatchReceive().toFuture();
      awaitWord(BATCH, 1);
      MoeMemory memory = shape.memory(0);
      for (int from = 0; from < 2; from++) {
        int next = 0;
        for (int expert = 0; expert < 2; expert++) {
          int end = next + routed(shape, from, expert);
          for (int pair = 0; pair < tokens.experts[from].length; pair++) {
            if (tokens.experts[from][pair] == expert) {
              boolean isLate = from == 1 && next >= 2;
              Section section =
                  from == 0 ? Section.SEND : isLate ? Section.OVERFLOW : Section.PRIVATE;
              long at = memory.offset(0, section) + 16L * (isLate ? next - 2 : next);
              MemorySegment sent = tokens.payload[from].asSlice(pair / 2 * 16L, 16);
              assertThat(firstMemory.asSlice(at, 16).mismatch(sent)).isEqualTo(-1);
              next++;
            }
          }
          assertThat(next).isEqualTo(end);
        }
        assertThat(next).as("tokens of group %s", from).isGreaterThan(2);
      }
      assertThat(batch).succeedsWithin(Cluster.PATIENCE);
    }
  }

  /** How many tokens a rank has for an expert, as its routes say in the memory of rank 0. */
  private int routed(MoeShape shape, int from, int expert) {
    MoeMemory memory = shape.memory(0);
    long row =
        from == 0
            ? memory.offset(0, Section.OWN_ROW)
            : memory.offset(0, Section.ROWS) + from * memory.length(Section.ROWS) / 2;
    ValueLayout.OfInt number = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    return firstMemory.get(number, row + 32 + 4L * expert);
  }

  private void awaitWord(int what, long steps) {
    long end = System.nanoTime() + Cluster.PATIENCE.toNanos();
    while (word(0, what) < steps && System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
    assertThat(word(0, what)).isEqualTo(steps);
  }

  /** A step that is refused counts, so that who waits for its number goes on, and asks. */
  @Test
  void aStepThatIsRefusedRaisesAll() {
    MoeShape few =
        MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).maxReceived(3).lanes(2).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, few, options())) {
      MoeStep step = rig.groups.getFirst().lane(1).begin(2, new int[] {0, 1, 2, 3}, new float[4]);
      MemorySegment payload = MemorySegment.ofArray(new byte[32]);
      assertThatExceptionOfType(StepRefusedException.class)
          .isThrownBy(() ->
              Mono.when(step.dispatchSend(payload), step.dispatchReceive())
                  .block(Cluster.PATIENCE));
      assertThat(word(1, TOKENS)).isEqualTo(1);
      assertThat(word(1, RESULTS)).isEqualTo(1);
      assertThat(word(1, BATCH)).isEqualTo(1);
    }
  }

  /** Nobody waits for ever for a batch whose word is gone. */
  @Test
  void whoFreesThemTooEarlyIsTold() {
    Arena arena = Arena.ofShared();
    MoeOptions freed = MoeOptions.builder().arrivalFlags(arena.allocate(48, 8)).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, SHAPE, freed)) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(3), SHAPE);
      MoeStep step = rig.begin(0, 1, tokens);
      step.dispatchSend(tokens.payload[0]).block(Cluster.PATIENCE);
      // Behind whatever the NIC's thread still does for the step, such as raising its words.
      Mono.fromRunnable(() -> {})
          .subscribeOn(cluster.engines.getFirst().scheduler())
          .block(Cluster.PATIENCE);
      arena.close();
      assertThatExceptionOfType(GroupFailedException.class)
          .isThrownBy(() -> step.dispatchReceive().block(Cluster.PATIENCE))
          .withMessageContaining(
              "expected arrival flags until close() has completed, got 48 bytes that were freed");
    }
  }

  /** Nobody waits in them any more, so that is no defect of the group that closes. */
  @Test
  void thoseThatWereFreedBeforeTheGroupClosesAreNoErrorInTheLog() {
    Arena arena = Arena.ofShared();
    MoeOptions freed = MoeOptions.builder().arrivalFlags(arena.allocate(48, 8)).build();
    try (CapturedLog log = new CapturedLog()) {
      try (Cluster cluster = Cluster.loopback(1);
          Rig rig = new Rig(cluster, SHAPE, freed)) {
        assertThat(rig.groups).hasSize(1);
        arena.close();
      }
      assertThat(log.text()).doesNotContain("ERROR");
    }
  }

  /** In the next epoch nothing has come yet. */
  @Test
  void theNextEpochBeginsAtZero() {
    try (Cluster cluster = Cluster.loopback(1)) {
      MemorySegment memory = memory();
      MoeGroup first = Cluster.await(Rig.join(cluster, "flags", SHAPE, 0, memory, options()));
      MoeGroup second =
          Cluster.await(
              first.regroup(1, SHAPE, List.of(cluster.engines.getFirst().address()), memory));
      for (int lane = 0; lane < 2; lane++) {
        assertThat(word(lane, TOKENS)).isZero();
        assertThat(word(lane, RESULTS)).isZero();
        assertThat(word(lane, BATCH)).isZero();
      }
      second.close().block(Cluster.PATIENCE);
      assertThat(word(0, TOKENS)).isEqualTo(Long.MAX_VALUE);
    }
  }

  private List<MoeGroup> joinFirstWithFlags(Cluster cluster, MoeShape shape) {
    MemorySegment first = Arena.ofAuto().allocate(shape.memory(0).bytes(), MoeMemory.ALIGNMENT);
    firstMemory = first;
    MemorySegment second = Arena.ofAuto().allocate(shape.memory(1).bytes(), MoeMemory.ALIGNMENT);
    MoeOptions none = MoeOptions.builder().closeTimeout(Duration.ofSeconds(1)).build();
    return Cluster.await(
        Mono.zip(
                Rig.join(cluster, "flags", shape, 0, first, options()),
                Rig.join(cluster, "flags", shape, 1, second, none))
            .map(both -> List.of(both.getT1(), both.getT2())));
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 32, 47})
  void tooFewAreRefused(long bytes) {
    MoeOptions few = MoeOptions.builder().arrivalFlags(words.asSlice(0, bytes)).build();
    try (Cluster cluster = Cluster.loopback(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Rig.join(cluster, "few", SHAPE, 0, memory(), few))
          .withMessageContaining("expected arrival flags of 48 bytes");
    }
  }

  private static MemorySegment memory() {
    return Arena.ofAuto().allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
  }

  /** They are raised on the NIC's thread. */
  @Test
  void whatBelongsToOneThreadIsRefused() {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment own = confined.allocate(48, 8);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MoeOptions.builder().arrivalFlags(own))
          .withMessageStartingWith("expected arrival flags that any thread may access");
    }
  }

  @Test
  void whatIsNoWordIsRefused() {
    for (MemorySegment wrong :
        List.of(words.asSlice(4, 16), words.asReadOnly(), MemorySegment.ofArray(new long[4]))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MoeOptions.builder().arrivalFlags(wrong));
    }
  }
}
