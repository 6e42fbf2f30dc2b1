package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Types of elements, one element at a time, by what the types mean and not as the library does it:
 * what it casts and quantises is compared with this.
 */
final class Plain {

  /** The values of the codes of FP8 that are not negative and finite, which rise. */
  private static final float[] E4M3 = values(0x7e, 3, 7);

  private static final float[] E5M2 = values(0x7b, 2, 15);

  private static final int NAN = 0x7f;

  private Plain() {}

  private static float[] values(int largest, int mantissaBits, int bias) {
    float[] values = new float[largest + 1];
    for (int code = 0; code <= largest; code++) {
      int exponent = code >> mantissaBits;
      float mantissa = (code & ((1 << mantissaBits) - 1)) / (float) (1 << mantissaBits);
      values[code] =
          exponent == 0
              ? Math.scalb(mantissa, 1 - bias)
              : Math.scalb(1 + mantissa, exponent - bias);
    }
    return values;
  }

  static float get(MemorySegment of, DataType type, long element) {
    return switch (type) {
      case FP32 -> of.get(ValueLayout.JAVA_FLOAT_UNALIGNED, element * 4);
      case BF16 ->
          Float.intBitsToFloat(of.get(ValueLayout.JAVA_SHORT_UNALIGNED, element * 2) << 16);
      case FP16 -> Float.float16ToFloat(of.get(ValueLayout.JAVA_SHORT_UNALIGNED, element * 2));
      default -> throw new IllegalStateException("expected a type that is cast, got " + type);
    };
  }

  static void put(MemorySegment to, DataType type, long element, float value) {
    switch (type) {
      case FP32 -> to.set(ValueLayout.JAVA_FLOAT_UNALIGNED, element * 4, value);
      case BF16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, element * 2, bf16(value));
      case FP16 ->
          to.set(ValueLayout.JAVA_SHORT_UNALIGNED, element * 2, Float.floatToFloat16(value));
      case FP8_E4M3 -> to.set(ValueLayout.JAVA_BYTE, element, nearest(E4M3, value));
      case FP8_E5M2 -> to.set(ValueLayout.JAVA_BYTE, element, nearest(E5M2, value));
      case INT8 ->
          to.set(
              ValueLayout.JAVA_BYTE,
              element,
              (byte) Math.clamp((long) Math.rint(value), -127, 127));
      default -> throw new IllegalStateException("expected a type of bytes, got " + type);
    }
  }

  /** Of the two nearest the one whose last bit is 0, if both are as near. */
  private static short bf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int lower = bits & 0xffff;
    int upper = bits >>> 16;
    if (Float.isNaN(value)) {
      return (short) (upper | 0x40);
    }
    boolean isUp = lower > 0x8000 || (lower == 0x8000 && (upper & 1) == 1);
    return (short) (isUp ? upper + 1 : upper);
  }

  private static byte nearest(float[] values, float value) {
    if (Float.isNaN(value)) {
      return NAN;
    }
    float size = Math.abs(value);
    int low = 0;
    int high = values.length - 1;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (values[middle] <= size) {
        low = middle;
      } else {
        high = middle;
      }
    }
    float below = size - values[low];
    float above = values[high] - size;
    int code = below < above || (below == above && low % 2 == 0) ? low : high;
    return (byte) (((Float.floatToRawIntBits(value) >>> 24) & 0x80) | code);
  }

  /** The scale of elements of which this is the largest. */
  static float scale(float largest, DataType type) {
    float most =
        switch (type) {
          case FP8_E4M3 -> 448;
          case FP8_E5M2 -> 57_344;
          default -> 127;
        };
    return largest == 0
        ? 1
        : Float.isNaN(largest) ? Float.NaN : Math.max(largest / most, Float.MIN_VALUE);
  }
}
