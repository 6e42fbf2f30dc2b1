package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/** The numbers that results and sums consist of; little-endian in memory. */
public enum FloatType {
  /** The upper half of {@link #FP32}. */
  BF16(2),
  /** IEEE 754, half precision. */
  FP16(2),
  /** IEEE 754, single precision. */
  FP32(4);

  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int bytes;

  FloatType(int bytes) {
    this.bytes = bytes;
  }

  /** Bytes of one number. */
  public int bytes() {
    return bytes;
  }

  /** Reads the number at an offset in bytes. */
  public float get(MemorySegment memory, long offset) {
    Objects.requireNonNull(memory, "memory");
    return switch (this) {
      case BF16 -> Float.intBitsToFloat(memory.get(SHORT, offset) << 16);
      case FP16 -> Float.float16ToFloat(memory.get(SHORT, offset));
      case FP32 -> memory.get(FLOAT, offset);
    };
  }

  /**
   * Writes a number at an offset in bytes, rounded to the nearest, of two as near to the even one.
   */
  public void set(MemorySegment memory, long offset, float value) {
    Objects.requireNonNull(memory, "memory");
    switch (this) {
      case BF16 -> memory.set(SHORT, offset, toBf16(value));
      case FP16 -> memory.set(SHORT, offset, Float.floatToFloat16(value));
      case FP32 -> memory.set(FLOAT, offset, value);
    }
  }

  static short toBf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if ((bits & 0x7fff_ffff) > 0x7f80_0000) {
      return (short) (bits >>> 16 | 0x40); // quiet, so that it stays no number
    }
    return (short) ((bits + 0x7fff + (bits >>> 16 & 1)) >>> 16);
  }
}
