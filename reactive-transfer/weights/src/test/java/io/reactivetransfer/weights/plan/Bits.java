package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.DataType;

/** Elements in bytes, one at a time: slow and plain. Numbers are little-endian. */
public final class Bits {

  private Bits() {}

  /** The bits of an element, by its number. */
  public static int get(byte[] memory, long offset, long element, DataType type) {
    if (type == DataType.INT4) {
      int both = memory[Math.toIntExact(offset + element / 2)];
      return (element % 2 == 0 ? both : both >> 4) & 0xf;
    }
    int bytes = type.bits() / 8;
    int at = Math.toIntExact(offset + element * bytes);
    int bits = 0;
    for (int i = 0; i < bytes; i++) {
      bits |= (memory[at + i] & 0xff) << 8 * i;
    }
    return bits;
  }

  /** Puts the bits of an element, by its number. */
  public static void put(byte[] memory, long offset, long element, DataType type, int bits) {
    if (type == DataType.INT4) {
      int at = Math.toIntExact(offset + element / 2);
      int shift = element % 2 == 0 ? 0 : 4;
      memory[at] = (byte) (memory[at] & ~(0xf << shift) | (bits & 0xf) << shift);
      return;
    }
    int bytes = type.bits() / 8;
    int at = Math.toIntExact(offset + element * bytes);
    for (int i = 0; i < bytes; i++) {
      memory[at + i] = (byte) (bits >>> 8 * i);
    }
  }

  /** The value of an element. */
  public static float toFloat(int bits, DataType type) {
    return switch (type) {
      case FP32 -> Float.intBitsToFloat(bits);
      case BF16 -> Float.intBitsToFloat(bits << 16);
      case FP16 -> Float.float16ToFloat((short) bits);
      case FP8_E4M3 -> fp8(bits, 4, 7);
      case FP8_E5M2 -> fp8(bits, 5, 15);
      case INT8 -> (byte) bits;
      case INT4 -> (bits & 8) == 0 ? bits : bits - 16;
    };
  }

  private static float fp8(int bits, int exponentBits, int bias) {
    int mantissaBits = 7 - exponentBits;
    int exponent = bits >> mantissaBits & (1 << exponentBits) - 1;
    if (exponentBits == 5 && exponent == 31) {
      int sign = (bits & 0x80) << 24;
      boolean isNan = (bits & 3) != 0;
      return Float.intBitsToFloat(isNan ? 0x7fc00000 | sign : 0x7f800000 | sign);
    }
    if (exponentBits == 4 && (bits & 0x7f) == 0x7f) {
      return Float.intBitsToFloat(0x7fc00000 | (bits & 0x80) << 24);
    }
    float mantissa = (bits & (1 << mantissaBits) - 1) / (float) (1 << mantissaBits);
    float value =
        exponent == 0 ? Math.scalb(mantissa, 1 - bias) : Math.scalb(1 + mantissa, exponent - bias);
    return (bits & 0x80) == 0 ? value : -value;
  }

  /** The bits of the element that is nearest to a value. */
  public static int fromFloat(float value, DataType type) {
    return switch (type) {
      case FP32 -> Float.floatToRawIntBits(value);
      case BF16 -> {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
          yield bits >>> 16 | 0x40;
        }
        yield (bits + 0x7fff + (bits >>> 16 & 1)) >>> 16;
      }
      case FP16 -> Float.floatToFloat16(value) & 0xffff;
      case FP8_E4M3 -> nearest(value, type, 0x7e);
      case FP8_E5M2 -> nearest(value, type, 0x7b);
      case INT8 -> Math.clamp((long) Math.rint(value), -127, 127) & 0xff;
      case INT4 -> Math.clamp((long) Math.rint(value), -7, 7) & 0xf;
    };
  }

  /** Of finite numbers: what is too large becomes the largest. */
  private static int nearest(float value, DataType type, int largest) {
    if (Float.isNaN(value)) {
      return 0x7f;
    }
    int sign = Float.floatToRawIntBits(value) >>> 24 & 0x80;
    if (Math.abs(value) >= toFloat(largest, type)) {
      return sign | largest;
    }
    int best = 0;
    for (int code = 1; code <= largest; code++) {
      float distance = Math.abs(toFloat(code, type) - Math.abs(value));
      float least = Math.abs(toFloat(best, type) - Math.abs(value));
      if (distance < least || (distance == least && code % 2 == 0)) {
        best = code;
      }
    }
    return sign | best;
  }

  /** What of a type is not clamped. */
  private static float largest(DataType type) {
    return switch (type) {
      case FP8_E4M3 -> 448;
      case FP8_E5M2 -> 57_344;
      case INT8 -> 127;
      case INT4 -> 7;
      default -> throw new AssertionError(type);
    };
  }

  /** The scale of a unit whose largest element is this. */
  public static float scale(float largest, DataType type) {
    if (largest == 0) {
      return 1;
    }
    return Float.isNaN(largest) ? Float.NaN : Math.max(largest / largest(type), Float.MIN_VALUE);
  }

  /** An element of a unit of this scale. */
  public static int quantized(float value, float scale, DataType type) {
    return fromFloat(value / scale, type);
  }
}
