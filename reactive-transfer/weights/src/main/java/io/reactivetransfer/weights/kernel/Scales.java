package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** By what the elements of a unit are divided. */
final class Scales {

  private static final float LARGEST_E4M3 = 448;
  private static final float LARGEST_E5M2 = 57_344;
  private static final float LARGEST_INT4 = 7;

  private Scales() {}

  /**
   * The scale of a unit.
   *
   * @param bits of its largest absolute value, as FP32
   * @param type what it is quantised to
   */
  static float of(int bits, DataType type) {
    float largest = Float.intBitsToFloat(bits);
    if (largest == 0) {
      return 1;
    }
    if (Float.isNaN(largest)) {
      return Float.NaN;
    }
    float most =
        switch (type) {
          case FP8_E4M3 -> LARGEST_E4M3;
          case FP8_E5M2 -> LARGEST_E5M2;
          case INT8 -> Byte.MAX_VALUE;
          case INT4 -> LARGEST_INT4;
          default -> throw new IllegalArgumentException("expected a quantised type, got " + type);
        };
    return Math.max(largest / most, Float.MIN_VALUE);
  }

  /** Puts the scale of a unit where it belongs. */
  static void put(MemorySegment scales, long number, DataType type, float scale) {
    switch (type) {
      case FP32 -> scales.set(ValueLayout.JAVA_FLOAT_UNALIGNED, number * Float.BYTES, scale);
      case BF16 -> {
        int bits = Float.floatToIntBits(scale);
        int rounded = Float.isNaN(scale) ? bits >>> 16 : (bits + 0x7fff + (bits >>> 16 & 1)) >>> 16;
        scales.set(ValueLayout.JAVA_SHORT_UNALIGNED, number * Short.BYTES, (short) rounded);
      }
      case FP16 ->
          scales.set(
              ValueLayout.JAVA_SHORT_UNALIGNED, number * Short.BYTES, Float.floatToFloat16(scale));
      default ->
          throw new IllegalArgumentException("expected scales of 16 bits or more, got " + type);
    }
  }
}
