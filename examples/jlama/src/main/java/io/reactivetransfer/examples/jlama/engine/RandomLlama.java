package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.model.llama.LlamaModel;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.KvBufferCache.KvBuffer;
import com.github.tjake.jlama.tensor.PagedKvBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A Llama of Jlama with random weights. One computation at a time: Jlama keeps parts of one in its
 * layers.
 */
@SuppressWarnings("rawtypes") // Jlama's own signatures
final class RandomLlama extends LlamaModel {

  private final AbstractTensor logits;

  RandomLlama(ModelShape shape, long seed) {
    super(
        shape.config(),
        new RandomWeights(shape, seed),
        null, // prompts are tokens here
        DType.F32,
        DType.F32,
        Optional.empty());
    this.logits = makeDenseTensor(shape.vocabulary());
  }

  KvBuffer buffer(PagedKvBuffer.Pages pages) {
    return new PagedKvBuffer(kvBufferCache, pages);
  }

  /**
   * Computes keys and values of tokens, all of them layer by layer, not in batches.
   *
   * @param start position of the first one
   * @param layerDone is told on this thread that no key and no value of a layer changes any more;
   *     what it throws ends the computation
   * @return the last hidden state
   */
  float[] prefill(int[] tokens, int start, KvBuffer buffer, IntConsumer layerDone) {
    AbstractTensor embeddings = embedInput.batchInputsToEmbeddings(tokens, start);
    try (AbstractTensor hidden =
        forward(embeddings, start, buffer, Optional.of(new LayerCount(layerDone)))) {
      AbstractTensor last = hidden.slice(tokens.length - 1);
      float[] state = new float[c.embeddingLength];
      for (int i = 0; i < state.length; i++) {
        state[i] = last.get(0, i);
      }
      return state;
    }
  }

  /** The token behind a hidden state. */
  int sample(float[] state, Random chance) {
    try (AbstractTensor hidden = makeDenseTensor(1, state.length)) {
      for (int i = 0; i < state.length; i++) {
        hidden.set(state[i], 0, i);
      }
      return sample(hidden, chance);
    }
  }

  /** The token behind one that is known. */
  int next(int token, int position, KvBuffer buffer, Random chance) {
    try (AbstractTensor hidden = forward(token, position, buffer, Optional.empty())) {
      return sample(hidden, chance);
    }
  }

  /**
   * As likely as the model says, by the largest of all logits with a Gumbel noise on each. Jlama's
   * own way goes along a sum of 512 numbers, and their last bits decide much more often: see {@link
   * InferenceEngine}.
   */
  private int sample(AbstractTensor hidden, Random chance) {
    int best = sample(hidden, 0, 0, logits); // which leaves the logits there
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < c.vocabularySize; i++) {
      double noisy = logits.get(0, i) - Math.log(-Math.log(chance.nextDouble()));
      if (noisy > most) {
        most = noisy;
        best = i;
      }
    }
    return best;
  }

  /**
   * Jlama asks for a reduction twice in each layer, of what the attention made and of what the feed
   * forward part made. By the first one the attention has stored all keys and values of the layer.
   */
  private static final class LayerCount implements Consumer<List<AbstractTensor>> {

    private final IntConsumer layerDone;
    private int calls;

    LayerCount(IntConsumer layerDone) {
      this.layerDone = layerDone;
    }

    @Override
    public void accept(List<AbstractTensor> partial) {
      if (calls++ % 2 == 0) {
        layerDone.accept(calls / 2);
      }
    }
  }
}
