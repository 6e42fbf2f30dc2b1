package io.reactivetransfer.weights;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one rank holds of a tensor, wherever it may lie; nothing at all, perhaps. */
public final class LocalPart {

  private final Tensor tensor;

  /** Of the tensor; null if it holds nothing. */
  private final @Nullable Box box;

  /** Of the array that the box lies in, if it is no flat one. */
  private final @Nullable Shape array;

  private final long from;
  private final long end;
  private final long allocated;

  private LocalPart(
      Tensor tensor,
      @Nullable Box box,
      @Nullable Shape array,
      long from,
      long end,
      long allocated) {
    this.tensor = tensor;
    this.box = box;
    this.array = array;
    this.from = from;
    this.end = end;
    this.allocated = allocated;
  }

  static LocalPart empty(Tensor tensor) {
    return new LocalPart(tensor, null, null, 0, 0, 0);
  }

  static LocalPart box(Tensor tensor, Box box, Shape array) {
    return new LocalPart(tensor, box, array, 0, box.elements(), array.elements());
  }

  /** The elements {@code from} to {@code end} (exclusive) of a box, the last dimension fastest. */
  static LocalPart flat(Tensor tensor, Box box, long from, long end, long allocated) {
    return new LocalPart(tensor, from < end ? box : null, null, from, end, allocated);
  }

  /** The tensor. */
  public Tensor tensor() {
    return tensor;
  }

  /** Whether it holds nothing. */
  public boolean isEmpty() {
    return box == null;
  }

  /** Which elements it holds; null if there are none, or only some of a box, in a flat array. */
  @Nullable Box box() {
    return array == null ? null : box;
  }

  /** How many elements it holds. */
  public long elements() {
    return box == null ? 0 : end - from;
  }

  /** Bytes that are needed for them, with their padding. */
  public long bytes() {
    return tensor.type().bytes(allocated + (tensor.type().isPacked() ? allocated % 2 : 0));
  }

  /**
   * The pieces, if its memory begins there. A flat part is as many pieces as it needs to be boxes.
   *
   * @param region index of a region of the rank
   * @param offset bytes in front of it
   */
  public List<Piece> pieces(int region, long offset) {
    if (box == null) {
      return List.of();
    }
    if (array != null) {
      return List.of(new Piece(box, Place.dense(region, offset, array)));
    }
    List<Piece> pieces = new ArrayList<>();
    long[] prefix = new long[box.dimensions()];
    addFlat(0, prefix, from, end, region, offset, pieces);
    return pieces;
  }

  /** Those of a range of elements that have the same indices in front of this dimension. */
  private void addFlat(
      int dimension,
      long[] prefix,
      long first,
      long last,
      int region,
      long offset,
      List<Piece> to) {
    if (first >= last || box == null) {
      return;
    }
    long inner = 1;
    for (int i = dimension + 1; i < box.dimensions(); i++) {
      inner *= box.size(i);
    }
    long outer = box.dimensions() == 0 ? 1 : inner * box.size(dimension);
    long base = first / outer * outer;
    long begin = first - base;
    long stop = last - base;
    if (begin / inner == (stop - 1) / inner
        && inner > 1
        && (begin % inner != 0 || stop % inner != 0)) {
      prefix[dimension] = begin / inner;
      addFlat(dimension + 1, prefix, first, last, region, offset, to);
      return;
    }
    long fullFrom = Math.ceilDiv(begin, inner);
    long fullEnd = stop / inner;
    if (fullFrom * inner > begin) {
      prefix[dimension] = begin / inner;
      addFlat(dimension + 1, prefix, first, base + fullFrom * inner, region, offset, to);
    }
    if (fullFrom < fullEnd) {
      add(dimension, prefix, fullFrom, fullEnd, base + fullFrom * inner, region, offset, to);
    }
    if (fullEnd * inner < stop) {
      prefix[dimension] = fullEnd;
      addFlat(dimension + 1, prefix, base + fullEnd * inner, last, region, offset, to);
    }
  }

  private void add(
      int dimension,
      long[] prefix,
      long begin,
      long stop,
      long element,
      int region,
      long offset,
      List<Piece> to) {
    Box all = Objects.requireNonNull(box);
    long[] starts = all.starts();
    long[] sizes = all.sizes();
    for (int i = 0; i < dimension; i++) {
      starts[i] += prefix[i];
      sizes[i] = 1;
    }
    if (all.dimensions() > 0) {
      starts[dimension] += begin;
      sizes[dimension] = stop - begin;
    }
    long at = offset + bytesUpTo(element - from);
    long[] strides = Shape.of(all.sizes()).denseStrides();
    to.add(new Piece(Box.of(starts, sizes), Place.of(region, at, strides)));
  }

  private long bytesUpTo(long elements) {
    try {
      return tensor.type().bytes(elements);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "expected the parts of tensor " + tensor + " to be whole bytes, got a cut within one", e);
    }
  }
}
