package io.reactivetransfer.weights;

import java.util.Arrays;
import java.util.Objects;

/**
 * Over which elements a scale is common: the unit that must be seen whole before any of its
 * elements can be written. Immutable.
 */
public final class Quantization {

  /** What shares a scale. */
  public enum Granularity {
    /** All of the tensor. */
    TENSOR,
    /** All that has the same index along one dimension. */
    CHANNEL,
    /** A block of a grid, which begins anew where parts of a fused tensor meet. */
    BLOCK
  }

  private final Granularity granularity;

  /** The dimension of a channel, or the sizes of a block. */
  private final long[] numbers;

  private Quantization(Granularity granularity, long... numbers) {
    this.granularity = granularity;
    this.numbers = numbers;
  }

  /** One scale for all of the tensor. */
  public static Quantization perTensor() {
    return new Quantization(Granularity.TENSOR);
  }

  /** One scale for each index along a dimension. */
  public static Quantization perChannel(int dimension) {
    if (dimension < 0 || dimension >= Shape.MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          "expected a dimension of 0 to " + (Shape.MAX_DIMENSIONS - 1) + ", got " + dimension);
    }
    return new Quantization(Granularity.CHANNEL, dimension);
  }

  /**
   * One scale for each block of this size; those at the end of a dimension may be smaller.
   *
   * @param sizes along each dimension of the tensor, at least 1. Where a size is not below that of
   *     the tensor, the block has all of it
   */
  public static Quantization perBlock(long... sizes) {
    if (sizes.length == 0
        || sizes.length > Shape.MAX_DIMENSIONS
        || Arrays.stream(sizes).anyMatch(size -> size < 1)) {
      throw new IllegalArgumentException(
          "expected blocks of 1 to "
              + Shape.MAX_DIMENSIONS
              + " dimensions of 1 or more elements, got "
              + Arrays.toString(sizes));
    }
    return new Quantization(Granularity.BLOCK, sizes.clone());
  }

  /** What shares a scale. */
  public Granularity granularity() {
    return granularity;
  }

  /** The dimension, if a channel shares a scale. */
  public int channel() {
    return granularity == Granularity.CHANNEL ? (int) numbers[0] : -1;
  }

  /**
   * How much of a tensor of this shape shares a scale.
   *
   * @throws IllegalArgumentException if the shape has other dimensions
   */
  public Shape unit(Shape shape) {
    long[] sizes = shape.sizes();
    int dimensions = shape.dimensions();
    boolean fits =
        switch (granularity) {
          case TENSOR -> true;
          case CHANNEL -> numbers[0] < dimensions;
          case BLOCK -> numbers.length == dimensions;
        };
    if (!fits) {
      throw new IllegalArgumentException(
          "expected a tensor that can be quantised " + this + ", got shape " + shape);
    }
    if (granularity == Granularity.CHANNEL) {
      sizes[(int) numbers[0]] = 1;
    } else if (granularity == Granularity.BLOCK) {
      for (int i = 0; i < dimensions; i++) {
        sizes[i] = Math.min(sizes[i], numbers[i]);
      }
    }
    return Shape.of(sizes);
  }

  /** The sizes of a block, if that is what shares a scale; else none. */
  public long[] block() {
    return granularity == Granularity.BLOCK ? numbers.clone() : new long[0];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Quantization that
        && granularity == that.granularity
        && Arrays.equals(numbers, that.numbers);
  }

  @Override
  public int hashCode() {
    return Objects.hash(granularity, Arrays.hashCode(numbers));
  }

  /** As in {@code per block [128, 128]}. */
  @Override
  public String toString() {
    return switch (granularity) {
      case TENSOR -> "per tensor";
      case CHANNEL -> "per channel of dimension " + numbers[0];
      case BLOCK -> "per block " + Arrays.toString(numbers);
    };
  }
}
