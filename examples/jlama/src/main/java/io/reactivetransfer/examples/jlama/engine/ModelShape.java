package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.math.ActivationFunction;
import com.github.tjake.jlama.model.llama.LlamaConfig;

/**
 * The sizes of a Llama.
 *
 * @param layers how many layers
 * @param embedding length of an embedding
 * @param hidden length within the feed forward part of a layer
 * @param heads of the queries
 * @param kvHeads of the keys and of the values
 * @param vocabulary how many tokens there are
 * @param context how long a sequence may be; Jlama's rotary embedding reads a little beyond the
 *     position that it is at, so the last few are not to be used
 */
public record ModelShape(
    int layers, int embedding, int hidden, int heads, int kvHeads, int vocabulary, int context) {

  private static final float NORM_EPSILON = 1e-5f;
  private static final double ROPE_THETA = 10_000;

  /** Checks what Jlama takes for granted. */
  public ModelShape {
    if (layers < 1 || embedding % heads != 0 || heads % kvHeads != 0) {
      throw new IllegalArgumentException(
          "expected layers, heads that divide the embedding, and heads of the keys that divide"
              + " the heads, got "
              + layers
              + " layers, "
              + embedding
              + " by "
              + heads
              + " by "
              + kvHeads);
    }
  }

  /**
   * Small enough to be made in a moment; with an embedding of 256, large enough that a prompt takes
   * a while.
   *
   * @param embedding a multiple of 128
   */
  public static ModelShape small(int layers, int embedding) {
    return new ModelShape(layers, embedding, 3 * embedding, 8, 4, 512, 4_096);
  }

  /** Length of a head. */
  public int headLength() {
    return embedding / heads;
  }

  /** Length of the keys of a token in a layer, and of its values. */
  public int kvLength() {
    return kvHeads * headLength();
  }

  /** Length of the queries of a token in a layer. */
  int attentionLength() {
    return heads * headLength();
  }

  LlamaConfig config() {
    return new LlamaConfig(
        context,
        embedding,
        hidden,
        heads,
        kvHeads,
        layers,
        NORM_EPSILON,
        vocabulary,
        0,
        1,
        ActivationFunction.Type.SILU,
        ROPE_THETA,
        null);
  }
}
