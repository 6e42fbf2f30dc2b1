package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;

/**
 * A tensor of the trainer. What each element is follows from the version, and is such that casts
 * and scales of it are exact: so everybody knows what must come of it.
 *
 * @param tensor two dimensions
 * @param kind what its elements are
 * @param unit of a scaled one: how many rows and columns have one scale
 */
record Held(Tensor tensor, Kind kind, Shape unit) {

  /** What elements are. */
  enum Kind {
    /** Any bits. */
    RAW,
    /** Integers that all floating types have. */
    INTEGERS,
    /** The same, times a power of two for each unit, in which one element is 448 times that. */
    SCALED
  }

  /** The largest number of FP8_E4M3. */
  private static final int LARGEST = 448;

  private static final int LARGEST_INTEGER = 15;
  private static final int LARGEST_SHIFT = 7;

  long rows() {
    return tensor.shape().size(0);
  }

  long columns() {
    return tensor.shape().size(1);
  }

  /** How many units there are along each dimension. */
  Shape units() {
    return Shape.of(Math.ceilDiv(rows(), unit.size(0)), Math.ceilDiv(columns(), unit.size(1)));
  }

  /** The bits of an element as the trainer has it. */
  int bits(long version, long row, long column) {
    return switch (kind) {
      case RAW -> (int) hash(version, row, column);
      case INTEGERS -> bits(integer(version, row, column), tensor.type());
      case SCALED ->
          bits(
              quantized(version, row, column)
                  * scale(version, row / unit.size(0), column / unit.size(1)),
              tensor.type());
    };
  }

  /** The value of an element, of integers. */
  int integer(long version, long row, long column) {
    return (int) Math.floorMod(hash(version, row, column), 2L * LARGEST_INTEGER + 1)
        - LARGEST_INTEGER;
  }

  /** The value of an element by its scale: the first one of a unit is the largest. */
  int quantized(long version, long row, long column) {
    int integer = integer(version, row, column);
    boolean isFirst = row % unit.size(0) == 0 && column % unit.size(1) == 0;
    return !isFirst ? integer : integer < 0 ? -LARGEST : LARGEST;
  }

  /** The scale of a unit. */
  float scale(long version, long unitRow, long unitColumn) {
    long shift = Math.floorMod(hash(version, ~unitRow, unitColumn), LARGEST_SHIFT + 1L);
    return Math.scalb(1f, (int) shift);
  }

  private long hash(long version, long row, long column) {
    long mix = tensor.name().hashCode() * 0x9E3779B97F4A7C15L + version;
    mix = (mix ^ mix >>> 32) * 0xBF58476D1CE4E5B9L + row;
    mix = (mix ^ mix >>> 29) * 0x94D049BB133111EBL + column;
    mix = (mix ^ mix >>> 31) * 0xD6E8FEB86659FD93L;
    return mix ^ mix >>> 32;
  }

  /** The bits of a number that the type has exactly. */
  static int bits(float value, DataType type) {
    return switch (type) {
      case FP32 -> Float.floatToRawIntBits(value);
      case BF16 -> Float.floatToRawIntBits(value) >>> 16;
      case FP8_E4M3 -> eightBits(value);
      default -> throw new IllegalArgumentException("expected a floating type, got " + type);
    };
  }

  private static int eightBits(float value) {
    int sign = Float.floatToRawIntBits(value) >>> 24 & 0x80;
    if (value == 0) {
      return sign;
    }
    int exponent = Math.getExponent(value);
    int mantissa = (int) (Math.abs(value) / Math.scalb(1f, exponent) * 8) - 8;
    return sign | (exponent + 7) << 3 | mantissa;
  }
}
