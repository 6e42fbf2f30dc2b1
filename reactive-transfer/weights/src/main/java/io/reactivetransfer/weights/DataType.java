package io.reactivetransfer.weights;

/** What the elements of a tensor are. */
public enum DataType {
  /** IEEE 754 binary32. */
  FP32(32, true),
  /** The upper half of an FP32. */
  BF16(16, true),
  /** IEEE 754 binary16. */
  FP16(16, true),
  /** 8 bits, 4 of exponent and 3 of mantissa, without infinities. */
  FP8_E4M3(8, true),
  /** 8 bits, 5 of exponent and 2 of mantissa. */
  FP8_E5M2(8, true),
  /** Signed, 8 bits. */
  INT8(8, false),
  /**
   * Signed, 4 bits: two elements in a byte, the first one in its lower half. They are packed along
   * the last dimension.
   */
  INT4(4, false);

  private final int bits;
  private final boolean floating;

  DataType(int bits, boolean floating) {
    this.bits = bits;
    this.floating = floating;
  }

  /** Bits of an element. */
  public int bits() {
    return bits;
  }

  /** Whether it is a floating-point type. Each of these can be cast to each other one. */
  public boolean isFloating() {
    return floating;
  }

  /** Whether scales can go with it: elements of fewer bits than those that it is quantised from. */
  public boolean isQuantized() {
    return bits <= 8;
  }

  /** Whether several elements share a byte. */
  public boolean isPacked() {
    return bits < Byte.SIZE;
  }

  /**
   * Bytes of so many elements without gaps.
   *
   * @throws IllegalArgumentException if they do not fill their last byte
   */
  public long bytes(long elements) {
    if (bits >= Byte.SIZE) {
      return Math.multiplyExact(elements, (long) (bits / Byte.SIZE));
    }
    if (elements * bits % Byte.SIZE != 0) {
      throw new IllegalArgumentException(
          "expected elements of " + this + " that fill their last byte, got " + elements);
    }
    return elements / (Byte.SIZE / bits);
  }
}
