package io.reactivetransfer.examples.jlama.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.examples.jlama.Requires;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Blocks, who holds them, and what is known: no model computes anything here. */
class PrefixCacheTest {

  private static final int BLOCK = 4;

  @BeforeAll
  static void isOnItsPlatform() {
    Requires.jlama();
  }

  private final InferenceEngine engine = new InferenceEngine(Stores.of(BLOCK, 10), 1);

  @Test
  void aPromptThatIsKnownSharesItsBlocks() {
    int[] prompt = Stores.prompt(12, 1);
    Sequence one = engine.beginToCompute(prompt, 3);
    assertThat(one.knownTokens()).isZero();
    assertThat(one.blocks()).hasSize(4);
    engine.remember(one);

    Sequence two = engine.beginToReceive(prompt, 3);
    assertThat(two.knownTokens()).isEqualTo(12);
    assertThat(two.blocks().subList(0, 3)).isEqualTo(one.blocks().subList(0, 3));
    assertThat(two.blocks().getLast()).isNotEqualTo(one.blocks().getLast());
    assertThat(two.blocksFrom(8)).containsExactly(one.blocks().get(2));
    assertThat(two.blocksFrom(11)).containsExactly(one.blocks().get(2));

    Sequence three = engine.beginToCompute(prompt, 3);
    assertThat(three.knownTokens()).isEqualTo(8); // the last token is always computed
    one.release();
    two.release();
    three.release();
    assertThat(engine.holds()).isZero();
    assertThat(engine.cachedBlocks()).isEqualTo(3);
    assertThat(engine.store().free()).isEqualTo(7);
  }

  @Test
  void blocksAreHeldUntilTheLastHolderReleasesThem() {
    Sequence sequence = engine.beginToCompute(Stores.prompt(8, 2), 0);
    sequence.hold();
    sequence.release();
    assertThat(sequence.released()).isNotDone();
    assertThat(engine.store().free()).isEqualTo(8);
    sequence.release();
    assertThat(sequence.released()).isDone();
    assertThat(engine.store().free()).isEqualTo(10);
    assertThatThrownBy(sequence::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(sequence::hold).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatWasNotUsedForTheLongestMakesRoom() {
    int[] old = Stores.prompt(16, 1);
    int[] used = Stores.prompt(16, 2);
    known(old);
    known(used);
    engine.beginToReceive(used, 0).release();
    Sequence large = engine.beginToCompute(Stores.prompt(16, 3), 0);
    assertThat(large.blocks()).hasSize(4);
    assertThat(engine.beginToReceive(used, 0).knownTokens()).isEqualTo(16);
    assertThatThrownBy(() -> engine.beginToReceive(old, 0))
        .isInstanceOf(OutOfBlocksException.class)
        .hasMessageContaining("all 10");
    large.release();
    assertThat(engine.beginToReceive(old, 0).knownTokens()).isEqualTo(8); // its end went first
  }

  @Test
  void whoGetsTooFewBlocksGetsNone() {
    Sequence sequence = engine.beginToCompute(Stores.prompt(20, 1), 0);
    assertThatThrownBy(() -> engine.beginToCompute(Stores.prompt(24, 2), 0))
        .isInstanceOf(OutOfBlocksException.class);
    assertThat(engine.store().free()).isEqualTo(5);
    sequence.release();
    assertThat(engine.holds()).isZero();
  }

  /** No two who write have a block in common, and in the end none is held. */
  @Test
  void anyOrderOfBeginningAndReleasingKeepsBlocksApart() {
    SplittableRandom random = new SplittableRandom(11);
    List<Sequence> open = new ArrayList<>();
    for (int step = 0; step < 5_000; step++) {
      if (random.nextInt(3) > 0) {
        int[] prompt = Stores.prompt(1 + random.nextInt(16), random.nextInt(4));
        try {
          Sequence sequence = engine.beginToCompute(prompt, random.nextInt(6));
          open.add(sequence);
          if (random.nextBoolean()) {
            engine.remember(sequence);
          }
        } catch (OutOfBlocksException e) {
          // then one of the others ends
        }
      } else if (!open.isEmpty()) {
        open.remove(random.nextInt(open.size())).release();
      }
      Set<Integer> written = new HashSet<>();
      for (Sequence sequence : open) {
        int shared = sequence.knownTokens() / BLOCK;
        List<Integer> own = sequence.blocks().subList(shared, sequence.blocks().size());
        assertThat(own).allMatch(written::add);
      }
    }
    open.forEach(Sequence::release);
    assertThat(engine.holds()).isZero();
    assertThat(engine.idle()).isDone();
    assertThat(engine.store().free() + engine.cachedBlocks()).isEqualTo(10);
  }

  private void known(int[] prompt) {
    Sequence sequence = engine.beginToCompute(prompt, 0);
    engine.remember(sequence);
    sequence.release();
  }
}
