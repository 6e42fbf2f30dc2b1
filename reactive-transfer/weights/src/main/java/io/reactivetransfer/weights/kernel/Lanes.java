package io.reactivetransfer.weights.kernel;

/**
 * Loops over arrays that the compiler turns into vector instructions by itself. It does that only
 * where all elements of a loop are of the same size, and never for a float that is taken as its
 * bits; so 16-bit elements are handled two at a time, as the halves of an int, and bits become
 * floats by copying arrays. Of each pair, the first element is in one array and the second in
 * another: even and odd ones.
 *
 * <p>{@code MAGIC} is 1.5 x 2^23: what is added to it is rounded to an integer, to the even one of
 * two, in the low bits of the sum.
 */
final class Lanes {

  static final float MAGIC = 12_582_912f;
  private static final int MAGIC_BITS = 0x4b400000;
  private static final int ABSOLUTE = 0x7fffffff;
  private static final int INFINITY = 0x7f800000;

  private Lanes() {}

  /** Pairs of BF16 to the bits of FP32. */
  static void fromBf16(int[] pairs, int[] even, int[] odd, int count) {
    for (int i = 0; i < count; i++) {
      even[i] = pairs[i] << 16;
    }
    for (int i = 0; i < count; i++) {
      odd[i] = pairs[i] & 0xffff0000;
    }
  }

  /** Pairs of 32-bit elements apart. */
  static void apart(long[] pairs, int[] even, int[] odd, int count) {
    for (int i = 0; i < count; i++) {
      long pair = pairs[i];
      even[i] = (int) pair;
      odd[i] = (int) (pair >>> 32);
    }
  }

  /** The same elements in pairs again. */
  static void together(int[] even, int[] odd, long[] pairs, int count) {
    for (int i = 0; i < count; i++) {
      pairs[i] = (even[i] & 0xffffffffL) | ((long) odd[i] << 32);
    }
  }

  static void fromFp16(short[] from, float[] to, int count) {
    for (int i = 0; i < count; i++) {
      to[i] = Float.float16ToFloat(from[i]);
    }
  }

  static void toFp16(float[] from, short[] to, int count) {
    for (int i = 0; i < count; i++) {
      to[i] = Float.floatToFloat16(from[i]);
    }
  }

  /** By a table of all 256 values. */
  static void fromTable(byte[] from, int[] table, int[] even, int[] odd, int count) {
    for (int i = 0; i < count; i++) {
      even[i] = table[from[2 * i] & 0xff];
      odd[i] = table[from[2 * i + 1] & 0xff];
    }
  }

  /** The largest absolute value, as bits: a NaN is larger than all others. */
  static int largest(int[] bits, int count) {
    int largest = 0;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, bits[i] & ABSOLUTE);
    }
    return largest;
  }

  /** The bits of FP32 to those of BF16, in the low half of each int. */
  static void toBf16(int[] bits, int count) {
    for (int i = 0; i < count; i++) {
      int one = bits[i];
      int isNan = (INFINITY - (one & ABSOLUTE)) >> 31;
      int rounded = (one + 0x7fff + (one >>> 16 & 1)) >>> 16;
      bits[i] = (rounded & ~isNan) | ((one >>> 16 | 0x40) & isNan);
    }
  }

  /** Puts pairs of elements of so many bits together in the low bits of an int. */
  static void pair(int[] even, int[] odd, int bits, int[] to, int count) {
    int mask = (1 << bits) - 1;
    for (int i = 0; i < count; i++) {
      to[i] = (even[i] & mask) | ((odd[i] & mask) << bits);
    }
  }

  static void divide(float[] values, float by, int count) {
    for (int i = 0; i < count; i++) {
      values[i] = values[i] / by;
    }
  }

  /** Sums whose low bits are how many units of the least FP8 number a value is. */
  static void subnormals(float[] values, float unitsOfOne, float[] sums, int count) {
    for (int i = 0; i < count; i++) {
      sums[i] = Math.abs(values[i]) * unitsOfOne + MAGIC;
    }
  }

  static void integers(float[] values, float[] sums, int count) {
    for (int i = 0; i < count; i++) {
      sums[i] = values[i] + MAGIC;
    }
  }

  /**
   * The bits of FP32 to FP8 with 3 bits of mantissa. A value is at least the smallest normal number
   * for one half of the code, and at most that for the other half: so no branch is needed.
   */
  static void toE4m3(int[] bits, int[] sums, int count) {
    for (int i = 0; i < count; i++) {
      int one = bits[i];
      int absolute = one & ABSOLUTE;
      int isNan = (INFINITY - absolute) >> 31;
      int normal = Math.max(Math.min(absolute, 0x43e00000), 0x3c800000);
      int code = (normal + 0x7ffff + (normal >>> 20 & 1)) >>> 20;
      int units = Math.min(sums[i] - MAGIC_BITS, 8);
      bits[i] = (((code + units - 968) | (one >>> 24 & 0x80)) & ~isNan) | (0x7f & isNan);
    }
  }

  /** The same with 2 bits of mantissa. */
  static void toE5m2(int[] bits, int[] sums, int count) {
    for (int i = 0; i < count; i++) {
      int one = bits[i];
      int absolute = one & ABSOLUTE;
      int isNan = (INFINITY - absolute) >> 31;
      int normal = Math.max(Math.min(absolute, 0x47600000), 0x38800000);
      int code = (normal + 0xfffff + (normal >>> 21 & 1)) >>> 21;
      int units = Math.min(sums[i] - MAGIC_BITS, 4);
      bits[i] = (((code + units - 452) | (one >>> 24 & 0x80)) & ~isNan) | (0x7f & isNan);
    }
  }

  /** The low bits of sums as integers from {@code -most} to {@code most}; NaN is 0. */
  static void toInteger(int[] sums, int most, int count) {
    for (int i = 0; i < count; i++) {
      int one = sums[i];
      int isNan = (INFINITY - (one & ABSOLUTE)) >> 31;
      sums[i] = Math.max(Math.min(one - MAGIC_BITS, most), -most) & ~isNan;
    }
  }

  /** The low halves of ints, two to an int. */
  static void narrow(long[] from, int[] to, int count) {
    for (int i = 0; i < count; i++) {
      long pair = from[i];
      to[i] = (int) (pair | pair >>> 16);
    }
  }

  static void narrow(int[] from, byte[] to, int count) {
    for (int i = 0; i < count; i++) {
      to[i] = (byte) from[i];
    }
  }
}
