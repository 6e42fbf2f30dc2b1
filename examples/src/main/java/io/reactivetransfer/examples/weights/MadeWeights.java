package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Values that tensor, place, version and seed decide, so that no two versions can be mixed up. */
final class MadeWeights implements Weights {

  private static final long STEP = 0x9E3779B97F4A7C15L;

  /** Of the smallest values. */
  private static final int EXPONENT = 118;

  private final Model model;
  private final long seed;

  MadeWeights(Model model, long seed) {
    this.model = model;
    this.seed = seed;
  }

  @Override
  public Model model() {
    return model;
  }

  @Override
  public boolean changes() {
    return true;
  }

  @Override
  public void read(Model.Held of, Box box, long version, MemorySegment to) {
    long begin = mixed(mixed(mixed(seed) + version) + of.tensor().name().hashCode()) * STEP;
    DataType type = of.tensor().type();
    long[] at = {0};
    Rows.each(
        box.sizes(),
        of.tensor().shape().denseStrides(),
        first(of, box),
        (element, length) -> {
          long state = begin + element * STEP;
          for (long i = 0; i < length; i++) {
            put(to, type, at[0]++, mixed(state));
            state += STEP;
          }
        });
  }

  private static long first(Model.Held of, Box box) {
    long[] strides = of.tensor().shape().denseStrides();
    long first = 0;
    for (int i = 0; i < strides.length; i++) {
      first += box.start(i) * strides[i];
    }
    return first;
  }

  private static void put(MemorySegment to, DataType type, long index, long random) {
    int sign = (int) (random >>> 63) << 15;
    int exponent = (EXPONENT + (int) ((random >>> 60) & 7)) << 7;
    int upper = sign | exponent | (int) ((random >>> 40) & 0x7f);
    switch (type) {
      case BF16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, (short) upper);
      case FP16 ->
          to.set(
              ValueLayout.JAVA_SHORT_UNALIGNED,
              index * 2,
              Float.floatToFloat16(Float.intBitsToFloat(upper << 16)));
      case FP32 ->
          to.set(
              ValueLayout.JAVA_INT_UNALIGNED, index * 4, (upper << 16) | (int) (random & 0xffff));
      default -> throw new IllegalStateException("expected a floating-point type, got " + type);
    }
  }

  private static long mixed(long number) {
    long mixed = (number ^ (number >>> 32)) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  @Override
  public void close() {}
}
