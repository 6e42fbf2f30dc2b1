package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Which tensors there are.
 *
 * @param held what the trainer has
 * @param wanted what the inference engine has, each made of some of these
 * @param layers how many layers they are of
 */
record Model(List<Held> held, List<Wanted> wanted, int layers) {

  /** As the inference engine has them: query, key and value in one, and gate and up. */
  private static final int VOCABULARY_OF_HIDDEN = 4;

  private static final long LEAST_BYTES = 64 << 10;

  /**
   * A tensor of the trainer.
   *
   * @param tensor the whole of it
   * @param depth how far down the model it is, 0 to 1
   * @param cutting how tensor-parallel ranks cut it
   */
  record Held(Tensor tensor, double depth, Cutting cutting) {

    long rows() {
      return tensor.shape().size(0);
    }
  }

  /**
   * A tensor of the inference engine.
   *
   * @param name its name
   * @param parts what it consists of, one behind the other along its rows
   */
  record Wanted(String name, List<Held> parts) {

    Held first() {
      return parts.getFirst();
    }

    /** Of all parts together. */
    Shape shape() {
      long[] sizes = first().tensor().shape().sizes();
      if (parts.size() > 1) {
        sizes[0] = parts.stream().mapToLong(Held::rows).sum();
      }
      return Shape.of(sizes);
    }
  }

  /** Copies the lists. */
  Model {
    held = List.copyOf(held);
    wanted = List.copyOf(wanted);
  }

  /** Bytes of what the trainer has. */
  long bytes() {
    return held.stream().mapToLong(one -> one.tensor().bytes()).sum();
  }

  /**
   * A model like Llama of about this size, and not larger.
   *
   * @throws IllegalArgumentException if that is too small
   */
  static Model made(long bytes, DataType type) {
    if (bytes < LEAST_BYTES) {
      throw new IllegalArgumentException(
          "expected --size of 64 KiB or more, got " + bytes + " bytes");
    }
    long elements = bytes / (type.bits() / Byte.SIZE);
    int layers = 1;
    long hidden = hidden(elements, 1);
    for (int more = 2; more <= 64 && hidden(elements, more) >= 64L * more; more *= 2) {
      layers = more;
      hidden = hidden(elements, more);
    }
    return new Builder(layers, hidden, type).model(elements);
  }

  /** The largest width with which so many layers fit. */
  private static long hidden(long elements, int layers) {
    long hidden = (long) Math.sqrt(elements / (11.0 * layers + 2 * VOCABULARY_OF_HIDDEN));
    return hidden >= 256 ? hidden / 128 * 128 : Math.max(32, hidden / 32 * 32);
  }

  private static final class Builder {
    private final int layers;
    private final long hidden;
    private final DataType type;
    private final List<Held> held = new ArrayList<>();
    private final List<Wanted> wanted = new ArrayList<>();

    Builder(int layers, long hidden, DataType type) {
      this.layers = layers;
      this.hidden = hidden;
      this.type = type;
    }

    private Held hold(String name, double depth, Cutting cutting, long... sizes) {
      Held made = new Held(new Tensor(name, type, Shape.of(sizes)), depth, cutting);
      held.add(made);
      return made;
    }

    private void want(String name, Held... parts) {
      wanted.add(new Wanted(name, List.of(parts)));
    }

    private void same(Held one) {
      want(one.tensor().name(), one);
    }

    Model model(long elements) {
      for (int layer = 0; layer < layers; layer++) {
        layer("model.layers." + layer + ".", (double) layer / layers);
      }
      same(hold("model.norm.weight", 1, Cutting.NONE, hidden));
      long left = elements - held.stream().mapToLong(one -> one.tensor().shape().elements()).sum();
      long rows = Math.max(hidden, left / (2 * hidden) / 128 * 128);
      same(hold("model.embed_tokens.weight", 0, Cutting.ROWS, rows, hidden));
      same(hold("lm_head.weight", 1, Cutting.ROWS, rows, hidden));
      return new Model(held, wanted, layers);
    }

    private void layer(String name, double depth) {
      long wide = Math.ceilDiv(hidden * 11 / 4, 32) * 32;
      long keys = Math.max(32, hidden / 4);
      same(hold(name + "input_layernorm.weight", depth, Cutting.NONE, hidden));
      want(
          name + "self_attn.qkv_proj.weight",
          hold(name + "self_attn.q_proj.weight", depth, Cutting.ROWS, hidden, hidden),
          hold(name + "self_attn.k_proj.weight", depth, Cutting.ROWS, keys, hidden),
          hold(name + "self_attn.v_proj.weight", depth, Cutting.ROWS, keys, hidden));
      same(hold(name + "self_attn.o_proj.weight", depth, Cutting.COLUMNS, hidden, hidden));
      same(hold(name + "post_attention_layernorm.weight", depth, Cutting.NONE, hidden));
      want(
          name + "mlp.gate_up_proj.weight",
          hold(name + "mlp.gate_proj.weight", depth, Cutting.ROWS, wide, hidden),
          hold(name + "mlp.up_proj.weight", depth, Cutting.ROWS, wide, hidden));
      same(hold(name + "mlp.down_proj.weight", depth, Cutting.COLUMNS, hidden, wide));
    }
  }
}
