package io.reactivetransfer.weights;

import java.util.Arrays;
import java.util.List;

/** How many elements a tensor has along each of its dimensions; none for a single value. */
public final class Shape {

  /** The most dimensions. */
  public static final int MAX_DIMENSIONS = 8;

  /** The most elements; so that bits are counted in a long, whatever the type. */
  public static final long MAX_ELEMENTS = 1L << 56;

  private static final Shape SCALAR = new Shape(new long[0]);

  private final long[] sizes;

  private Shape(long[] sizes) {
    this.sizes = sizes;
  }

  /**
   * A shape.
   *
   * @param sizes along each dimension, the outermost first, each at least 1
   * @throws IllegalArgumentException if there is no such shape
   */
  public static Shape of(long... sizes) {
    if (sizes.length == 0) {
      return SCALAR;
    }
    if (sizes.length > MAX_DIMENSIONS) {
      throw new IllegalArgumentException(
          "expected at most " + MAX_DIMENSIONS + " dimensions, got " + sizes.length);
    }
    long elements = 1;
    for (long size : sizes) {
      if (size < 1 || size > MAX_ELEMENTS / elements) {
        throw new IllegalArgumentException(
            "expected dimensions of 1 or more and at most 2^56 elements, got "
                + Arrays.toString(sizes));
      }
      elements *= size;
    }
    return new Shape(sizes.clone());
  }

  /** How many dimensions. */
  public int dimensions() {
    return sizes.length;
  }

  /**
   * Elements along one dimension.
   *
   * @throws IndexOutOfBoundsException if there is no such dimension
   */
  public long size(int dimension) {
    return sizes[dimension];
  }

  /** All of them, the outermost first. */
  public long[] sizes() {
    return sizes.clone();
  }

  /** How many elements there are. */
  public long elements() {
    long elements = 1;
    for (long size : sizes) {
      elements *= size;
    }
    return elements;
  }

  /**
   * Elements between neighbours along each dimension, if all lie without gaps, the last fastest.
   */
  public long[] denseStrides() {
    long[] strides = new long[sizes.length];
    long next = 1;
    for (int dimension = sizes.length - 1; dimension >= 0; dimension--) {
      strides[dimension] = next;
      next *= sizes[dimension];
    }
    return strides;
  }

  /** Without its dimensions of size 1. */
  public Shape squeezed() {
    return of(Arrays.stream(sizes).filter(size -> size > 1).toArray());
  }

  /**
   * With its dimensions in another order.
   *
   * @param order which dimension comes first, second and so on
   */
  Shape permuted(List<Integer> order) {
    return of(order.stream().mapToLong(dimension -> sizes[dimension]).toArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape that && Arrays.equals(sizes, that.sizes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sizes);
  }

  /** As in {@code [7168, 2048]}. */
  @Override
  public String toString() {
    return Arrays.toString(sizes);
  }
}
