package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Words that say how many steps' tokens and results have come. */
class FlagsTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(1, 4), 2, 4, 16, 4).lanes(2).build();
  private static final int TOKENS = 0;
  private static final int RESULTS = 1;

  private final MemorySegment words = Arena.ofAuto().allocate(32, 8);

  private MoeOptions options() {
    return MoeOptions.builder().arrivalFlags(words).build();
  }

  private long word(int lane, int what) {
    long at = (2L * lane + what) * Long.BYTES;
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
        assertThat(word(0, TOKENS)).isZero();
        assertThat(word(0, RESULTS)).isZero();
      }
    }
    for (int lane = 0; lane < 2; lane++) {
      assertThat(word(lane, TOKENS)).isEqualTo(Long.MAX_VALUE);
      assertThat(word(lane, RESULTS)).isEqualTo(Long.MAX_VALUE);
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
      }
      second.close().block(Cluster.PATIENCE);
      assertThat(word(0, TOKENS)).isEqualTo(Long.MAX_VALUE);
    }
  }

  private List<MoeGroup> joinFirstWithFlags(Cluster cluster, MoeShape shape) {
    MemorySegment first = Arena.ofAuto().allocate(shape.memory(0).bytes(), MoeMemory.ALIGNMENT);
    MemorySegment second = Arena.ofAuto().allocate(shape.memory(1).bytes(), MoeMemory.ALIGNMENT);
    MoeOptions none = MoeOptions.builder().closeTimeout(Duration.ofSeconds(1)).build();
    return Cluster.await(
        Mono.zip(
                Rig.join(cluster, "flags", shape, 0, first, options()),
                Rig.join(cluster, "flags", shape, 1, second, none))
            .map(both -> List.of(both.getT1(), both.getT2())));
  }

  @ParameterizedTest
  @ValueSource(longs = {8, 16, 31})
  void tooFewAreRefused(long bytes) {
    MoeOptions few = MoeOptions.builder().arrivalFlags(words.asSlice(0, bytes)).build();
    try (Cluster cluster = Cluster.loopback(1)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Rig.join(cluster, "few", SHAPE, 0, memory(), few))
          .withMessageContaining("expected arrival flags of 32 bytes");
    }
  }

  private static MemorySegment memory() {
    return Arena.ofAuto().allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
  }

  /** They are raised on the NIC's thread. */
  @Test
  void whatBelongsToOneThreadIsRefused() {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment own = confined.allocate(32, 8);
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
