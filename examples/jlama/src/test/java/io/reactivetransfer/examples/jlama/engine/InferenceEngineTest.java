package io.reactivetransfer.examples.jlama.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tjake.jlama.tensor.PagedKvBuffer;
import io.reactivetransfer.examples.jlama.Requires;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InferenceEngineTest {

  private static final int SEED = 5;
  private static final int COUNT = 12;
  private static final int MANY = 40;

  /** See {@link InferenceEngine}. */
  private static final Offset<Float> LAST_BITS = Offset.offset(1e-4f);

  @BeforeAll
  static void isOnItsPlatform() {
    Requires.jlama();
  }

  @Test
  void eachLayerIsDoneOnceInOrderAndDoesNotChangeAnyMore() {
    try (InferenceEngine engine = new InferenceEngine(Stores.of(8, 20), SEED)) {
      Sequence sequence = engine.beginToCompute(Stores.prompt(43, 1), 0);
      List<float[]> whenDone = new ArrayList<>();
      List<Integer> layers = new ArrayList<>();
      float[] _ =
          engine.prefill(
              sequence,
              layer -> {
                layers.add(layer);
                whenDone.add(Stores.numbers(sequence, layer));
              });
      assertThat(layers).containsExactly(0, 1, 2);
      for (int layer : layers) {
        assertThat(Stores.numbers(sequence, layer)).isEqualTo(whenDone.get(layer));
      }
      sequence.release();
      assertThat(engine.holds()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 43, 64})
  void aKnownPrefixGivesTheSameNumbers(int knownTokens) {
    int[] prompt = Stores.prompt(64, 2);
    try (InferenceEngine one = new InferenceEngine(Stores.of(8, 40), SEED);
        InferenceEngine other = new InferenceEngine(Stores.of(8, 40), SEED)) {
      Sequence whole = one.beginToCompute(prompt, 0);
      float[] state = one.prefill(whole, layer -> {});

      Sequence begin = other.beginToCompute(IntStream.of(prompt).limit(knownTokens).toArray(), 0);
      float[] _ = other.prefill(begin, layer -> {});
      other.remember(begin);
      begin.release();
      Sequence rest = other.beginToCompute(prompt, 0);
      assertThat(rest.knownTokens()).isEqualTo(Math.min(knownTokens / 8 * 8, 56));
      assertThat(other.prefill(rest, layer -> {})).containsExactly(state, LAST_BITS);
      for (int layer = 0; layer < Stores.SHAPE.layers(); layer++) {
        assertThat(Stores.numbers(rest, layer))
            .containsExactly(Stores.numbers(whole, layer), LAST_BITS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64})
  void blocksOfAnyLengthGiveTheSameTokens(int blockTokens) {
    int[] prompt = Stores.prompt(50, 3);
    try (InferenceEngine one = new InferenceEngine(Stores.of(10, 20), SEED);
        InferenceEngine other = new InferenceEngine(Stores.of(blockTokens, 100), SEED)) {
      assertThat(other.complete(prompt, COUNT, 9)).isEqualTo(one.complete(prompt, COUNT, 9));
      assertThat(other.holds()).isZero();
      assertThat(other.store().free()).isEqualTo(100);
    }
  }

  /** Otherwise tokens that are identical would prove little. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aBlockThatIsNotThereGivesOtherTokens(int layer) {
    int[] prompt = Stores.prompt(50, 3);
    try (InferenceEngine engine = new InferenceEngine(Stores.of(10, 20), SEED)) {
      int[] right = engine.complete(prompt, MANY, 9);
      Sequence sequence = engine.beginToCompute(prompt, MANY);
      float[] state = engine.prefill(sequence, each -> {});
      sequence.page(layer, PagedKvBuffer.VALUES, 2).clear();
      List<Integer> tokens = new ArrayList<>();
      engine.generate(sequence, state, MANY, 9, tokens::add);
      assertThat(tokens.getFirst()).isEqualTo(right[0]); // it is of the state alone
      assertThat(tokens).isNotEqualTo(IntStream.of(right).boxed().toList());
    }
  }

  @Test
  void whatIsThrownForALayerEndsTheComputation() {
    try (InferenceEngine engine = new InferenceEngine(Stores.of(8, 20), SEED)) {
      Sequence sequence = engine.beginToCompute(Stores.prompt(20, 4), 0);
      List<Integer> layers = new ArrayList<>();
      assertThatThrownBy(() ->
              engine.prefill(
                  sequence,
                  layer -> {
                    layers.add(layer);
                    throw new IllegalStateException("enough");
                  }))
          .hasMessage("enough");
      assertThat(layers).containsExactly(0);
      // and the next computation is as if that had not been
      int[] prompt = Stores.prompt(20, 4);
      try (InferenceEngine other = new InferenceEngine(Stores.of(8, 20), SEED)) {
        assertThat(engine.complete(prompt, 4, 1)).isEqualTo(other.complete(prompt, 4, 1));
      }
    }
  }
}
