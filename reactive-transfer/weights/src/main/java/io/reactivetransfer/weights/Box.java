package io.reactivetransfer.weights;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A range of indices along each dimension of a tensor; never empty. */
public final class Box {

  private final long[] start;
  private final long[] size;

  private Box(long[] start, long[] size) {
    this.start = start;
    this.size = size;
  }

  /**
   * A box.
   *
   * @param start the first index along each dimension, at least 0
   * @param size how many along each, at least 1
   * @throws IllegalArgumentException if there is no such box
   */
  public static Box of(long[] start, long[] size) {
    boolean fits = start.length == size.length && start.length <= Shape.MAX_DIMENSIONS;
    for (int i = 0; fits && i < start.length; i++) {
      fits = start[i] >= 0 && size[i] >= 1 && start[i] <= Shape.MAX_ELEMENTS - size[i];
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "expected a start of 0 or more and a size of 1 or more along each dimension, got "
              + Arrays.toString(start)
              + " and "
              + Arrays.toString(size));
    }
    return new Box(start.clone(), size.clone());
  }

  /** All of a tensor. */
  public static Box whole(Shape shape) {
    return new Box(new long[shape.dimensions()], shape.sizes());
  }

  /** How many dimensions. */
  public int dimensions() {
    return start.length;
  }

  /** The first index along a dimension. */
  public long start(int dimension) {
    return start[dimension];
  }

  /** How many indices along a dimension, at least 1. */
  public long size(int dimension) {
    return size[dimension];
  }

  /** The index behind the last one along a dimension. */
  public long end(int dimension) {
    return start[dimension] + size[dimension];
  }

  /** The first index along each dimension. */
  public long[] starts() {
    return start.clone();
  }

  /** How many indices along each dimension. */
  public long[] sizes() {
    return size.clone();
  }

  /** How many elements. */
  public long elements() {
    long elements = 1;
    for (long one : size) {
      elements *= one;
    }
    return elements;
  }

  /** What both have, or null. */
  public @Nullable Box intersect(Box other) {
    for (int i = 0; i < start.length; i++) {
      if (start[i] >= other.start[i] + other.size[i] || other.start[i] >= start[i] + size[i]) {
        return null;
      }
    }
    long[] from = new long[start.length];
    long[] sizes = new long[start.length];
    for (int i = 0; i < start.length; i++) {
      from[i] = Math.max(start[i], other.start[i]);
      sizes[i] = Math.min(end(i), other.end(i)) - from[i];
    }
    return new Box(from, sizes);
  }

  /** Whether it has an element of the other one. */
  public boolean meets(Box other) {
    for (int i = 0; i < start.length; i++) {
      if (start[i] >= other.start[i] + other.size[i] || other.start[i] >= start[i] + size[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether it has every element of the other one. */
  public boolean contains(Box other) {
    for (int i = 0; i < start.length; i++) {
      if (other.start[i] < start[i] || other.end(i) > end(i)) {
        return false;
      }
    }
    return true;
  }

  /** With another range along one dimension. */
  public Box with(int dimension, long from, long end) {
    long[] starts = start.clone();
    long[] sizes = size.clone();
    starts[dimension] = from;
    sizes[dimension] = end - from;
    return of(starts, sizes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Box that
        && Arrays.equals(start, that.start)
        && Arrays.equals(size, that.size);
  }

  @Override
  public int hashCode() {
    long hash = 17;
    for (int i = 0; i < start.length; i++) {
      hash = (hash * 31 + start[i]) * 0x9e3779b97f4a7c15L + size[i];
    }
    return Long.hashCode(hash * 0x9e3779b97f4a7c15L);
  }

  /** As in {@code [0:128, 256:512]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < start.length; i++) {
      text.append(i == 0 ? "" : ", ").append(start[i]).append(':').append(end(i));
    }
    return text.append(']').toString();
  }
}
