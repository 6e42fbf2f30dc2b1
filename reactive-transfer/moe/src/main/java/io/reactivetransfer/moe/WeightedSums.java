package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Sums the results of each token, weighted, in the order in which its experts were named: each
 * product and each sum is rounded to 32 bits, so the bits of the sum do not depend on who was
 * first.
 */
final class WeightedSums {

  private final MoeShape shape;
  private final float[] sum;

  WeightedSums(MoeShape shape) {
    this.shape = shape;
    this.sum = new float[shape.hidden()];
  }

  void sum(
      OwnRouting routing, float[] weights, MemorySegment results, MemorySegment sums, long stride) {
    int topK = shape.topK();
    for (int token = 0; token < routing.tokens(); token++) {
      Arrays.fill(sum, 0);
      for (int pair = token * topK; pair < (token + 1) * topK; pair++) {
        add(weights[pair], results, routing.place(pair) * shape.resultStride());
      }
      store(sums, token * stride);
    }
  }

  /** One loop for each type, so that the compiler sees what it does. */
  private void add(float weight, MemorySegment results, long at) {
    float[] to = sum;
    switch (shape.resultType()) {
      case BF16 -> {
        for (int i = 0; i < to.length; i++) {
          int bits = results.get(FloatType.SHORT, at + 2L * i) << 16;
          to[i] += weight * Float.intBitsToFloat(bits);
        }
      }
      case FP16 -> {
        for (int i = 0; i < to.length; i++) {
          to[i] += weight * Float.float16ToFloat(results.get(FloatType.SHORT, at + 2L * i));
        }
      }
      case FP32 -> {
        for (int i = 0; i < to.length; i++) {
          to[i] += weight * results.get(FloatType.FLOAT, at + 4L * i);
        }
      }
    }
  }

  private void store(MemorySegment sums, long at) {
    FloatType type = shape.sumType();
    for (int i = 0; i < sum.length; i++) {
      type.set(sums, at + (long) type.bytes() * i, sum[i]);
    }
  }
}
