package io.reactivetransfer.weights.kernel;

/** What each byte of FP8 is, as the bits of FP32. */
final class Fp8 {

  /** 4 bits of exponent: all ones in both is the only NaN, and there are no infinities. */
  static final int[] E4M3 = table(4, 7);

  /** 5 bits of exponent, with infinities and NaN as IEEE 754 has them. */
  static final int[] E5M2 = table(5, 15);

  private Fp8() {}

  private static int[] table(int exponentBits, int bias) {
    int[] table = new int[256];
    for (int code = 0; code < table.length; code++) {
      float value = value(code & 0x7f, exponentBits, bias);
      table[code] = Float.floatToIntBits(value) | (code & 0x80) << 24;
    }
    return table;
  }

  private static float value(int code, int exponentBits, int bias) {
    int mantissaBits = 7 - exponentBits;
    int exponent = code >> mantissaBits;
    int mantissa = code & (1 << mantissaBits) - 1;
    if (exponentBits == 4 ? code == 0x7f : code > 0x7c) {
      return Float.NaN;
    }
    if (exponentBits == 5 && code == 0x7c) {
      return Float.POSITIVE_INFINITY;
    }
    float parts = 1 << mantissaBits;
    return exponent == 0
        ? Math.scalb(mantissa / parts, 1 - bias)
        : Math.scalb(1 + mantissa / parts, exponent - bias);
  }
}
