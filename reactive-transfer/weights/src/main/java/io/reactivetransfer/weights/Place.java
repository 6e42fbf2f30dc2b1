package io.reactivetransfer.weights;

import java.util.Arrays;

/**
 * Where the elements of a box lie: in which region, where its first element begins, and how many
 * elements there are from one to its neighbour along each dimension.
 */
public final class Place {

  private final int region;
  private final long offset;
  private final long[] strides;

  private Place(int region, long offset, long[] strides) {
    this.region = region;
    this.offset = offset;
    this.strides = strides;
  }

  /**
   * A place.
   *
   * @param region index of a region of the rank
   * @param offset bytes in front of the first element
   * @param strides elements from one to the next along each dimension, at least 1
   * @throws IllegalArgumentException if there is no such place
   */
  public static Place of(int region, long offset, long... strides) {
    boolean fits = region >= 0 && offset >= 0 && strides.length <= Shape.MAX_DIMENSIONS;
    for (long stride : strides) {
      fits &= stride >= 1 && stride <= Shape.MAX_ELEMENTS;
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "expected a region and an offset of 0 or more and strides of 1 or more, got "
              + region
              + ", "
              + offset
              + " and "
              + Arrays.toString(strides));
    }
    return new Place(region, offset, strides.clone());
  }

  /** The place of an array without gaps, the last dimension fastest. */
  public static Place dense(int region, long offset, Shape shape) {
    return of(region, offset, shape.denseStrides());
  }

  /** Index of a region of the rank. */
  public int region() {
    return region;
  }

  /** Bytes in front of the first element. */
  public long offset() {
    return offset;
  }

  /** How many dimensions. */
  public int dimensions() {
    return strides.length;
  }

  /** Elements from one to the next along a dimension. */
  public long stride(int dimension) {
    return strides[dimension];
  }

  /** Those of all dimensions. */
  public long[] strides() {
    return strides.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Place that
        && region == that.region
        && offset == that.offset
        && Arrays.equals(strides, that.strides);
  }

  @Override
  public int hashCode() {
    return (region * 31 + Long.hashCode(offset)) * 31 + Arrays.hashCode(strides);
  }

  /** As in {@code region 0 at 4096, strides [128, 1]}. */
  @Override
  public String toString() {
    return "region " + region + " at " + offset + ", strides " + Arrays.toString(strides);
  }
}
