package io.reactivetransfer.examples.jlama.engine;

import com.github.tjake.jlama.model.DistributedContext;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.safetensors.TensorInfo;
import com.github.tjake.jlama.safetensors.WeightLoader;
import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.FloatBufferTensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Weights that a seed decides, each tensor by its name: every process that asks for the same seed
 * has the same model, and none is loaded from anywhere.
 */
@SuppressWarnings("rawtypes") // Jlama's own signatures
record RandomWeights(ModelShape shape, long seed) implements WeightLoader {

  /** Sharp queries: each token looks at a few others, and not at the mean of all of them. */
  private static final double QUERY_GAIN = 3;

  /** Likely and unlikely tokens: what is wrong with a key or a value shows in the next few. */
  private static final double LOGIT_GAIN = 4;

  @Override
  public Map<String, String> metadata() {
    return Map.of();
  }

  @Override
  public Map<String, TensorInfo> tensorInfoMap() {
    return Map.of();
  }

  @Override
  public boolean isWeightPresent(String name) {
    return true;
  }

  @Override
  public DType getModelDType() {
    return DType.F32;
  }

  /** There is one context only, the whole model. */
  @Override
  public AbstractTensor load(
      String name,
      @Nullable DistributedContext context,
      boolean sparseRows,
      boolean sparseColumns) {
    String kind = name.replaceAll("^(model\\.)?(layers\\.\\d+\\.)?|\\.weight$", "");
    return switch (kind) {
      case "embed_tokens" -> random(name, shape.vocabulary(), shape.embedding(), 1);
      case "lm_head" -> scaled(name, shape.vocabulary(), shape.embedding(), LOGIT_GAIN);
      case "self_attn.q_proj" ->
          scaled(name, shape.attentionLength(), shape.embedding(), QUERY_GAIN);
      case "self_attn.k_proj", "self_attn.v_proj" ->
          scaled(name, shape.kvLength(), shape.embedding(), 1);
      case "self_attn.o_proj" -> scaled(name, shape.embedding(), shape.attentionLength(), 1);
      case "mlp.gate_proj", "mlp.up_proj" -> scaled(name, shape.hidden(), shape.embedding(), 1);
      case "mlp.down_proj" -> scaled(name, shape.embedding(), shape.hidden(), 1);
      case "norm", "input_layernorm", "post_attention_layernorm" -> ones(shape.embedding());
      default -> throw new IllegalArgumentException("expected a weight of a Llama, got " + name);
    };
  }

  /** What it makes of numbers of a deviation of 1 has one of {@code gain}. */
  private FloatBufferTensor scaled(String name, int rows, int columns, double gain) {
    return random(name, rows, columns, gain / Math.sqrt(columns));
  }

  private FloatBufferTensor random(String name, int rows, int columns, double deviation) {
    FloatBufferTensor tensor = new FloatBufferTensor(rows, columns);
    MemorySegment numbers = tensor.getMemorySegment();
    SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + name.hashCode());
    double width = 2 * Math.sqrt(3) * deviation; // of an even distribution
    for (long i = 0; i < (long) rows * columns; i++) {
      float number = (float) ((random.nextDouble() - 0.5) * width);
      numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, number);
    }
    return tensor;
  }

  private static FloatBufferTensor ones(int columns) {
    FloatBufferTensor tensor = new FloatBufferTensor(columns);
    for (int i = 0; i < columns; i++) {
      tensor.set(1, 0, i);
    }
    return tensor;
  }

  @Override
  public void close() {
    // nothing is open
  }
}
