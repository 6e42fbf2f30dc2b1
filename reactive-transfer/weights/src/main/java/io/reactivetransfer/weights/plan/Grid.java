package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Quantization;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Where an inference tensor may be cut, so that no unit that shares a scale is cut. */
final class Grid {

  private final Axis[] axes;

  /** How many units there are along each dimension. */
  private final Shape units;

  private Grid(Axis[] axes) {
    this.axes = axes;
    long[] counts = new long[axes.length];
    for (int i = 0; i < axes.length; i++) {
      counts[i] = axes[i].units();
    }
    this.units = Shape.of(counts);
  }

  /** That of a tensor: cut anywhere, unless it is quantised. */
  static Grid of(Tensor tensor, Content.Values values, List<Link> links) {
    Quantization quantization = values.quantization();
    Shape shape = tensor.shape();
    Shape unit = quantization == null ? null : quantization.unit(shape);
    boolean parts =
        quantization != null && quantization.granularity() == Quantization.Granularity.BLOCK;
    Axis[] axes = new Axis[shape.dimensions()];
    for (int i = 0; i < axes.length; i++) {
      long[] bounds = parts ? bounds(shape, links, i) : new long[] {0, shape.size(i)};
      int packed = tensor.type().isPacked() && i == axes.length - 1 ? 2 : 1;
      axes[i] = new Axis(bounds, unit == null ? 1 : unit.size(i), packed);
      if (axes[i].splits(packed)) {
        throw new PlanRefusedException(
            tensor.name(),
            "expected parts of tensor "
                + tensor.name()
                + " that begin at whole bytes, got an odd number of elements of "
                + tensor.type());
      }
    }
    return new Grid(axes);
  }

  /** That of a tensor that is not cut at all. */
  static Grid whole(Tensor tensor) {
    Axis[] axes = new Axis[tensor.shape().dimensions()];
    for (int i = 0; i < axes.length; i++) {
      long size = tensor.shape().size(i);
      axes[i] = new Axis(new long[] {0, size}, size, 1);
    }
    return new Grid(axes);
  }

  private static long[] bounds(Shape shape, List<Link> links, int dimension) {
    TreeSet<Long> bounds = new TreeSet<>(List.of(0L, shape.size(dimension)));
    for (Link link : links) {
      bounds.add(link.box().start(dimension));
    }
    return bounds.stream().mapToLong(Long::longValue).toArray();
  }

  /** How many units there are along each dimension. */
  Shape units() {
    return units;
  }

  /** The units of a box that is cut between units. */
  Box units(Box box) {
    long[] from = new long[axes.length];
    long[] sizes = new long[axes.length];
    for (int i = 0; i < axes.length; i++) {
      from[i] = axes[i].unitAt(box.start(i));
      sizes[i] = axes[i].unitAt(box.end(i)) - from[i];
    }
    return Box.of(from, sizes);
  }

  /** The largest part of a box that is cut between units, or null. */
  @Nullable Box inner(Box box) {
    long[] from = new long[axes.length];
    long[] sizes = new long[axes.length];
    for (int i = 0; i < axes.length; i++) {
      from[i] = axes[i].ceil(box.start(i));
      sizes[i] = axes[i].floor(box.end(i)) - from[i];
      if (sizes[i] <= 0) {
        return null;
      }
    }
    return Box.of(from, sizes);
  }

  /**
   * Cuts a box into parts of at most so many elements, as few as possible, between units; and
   * wherever units begin anew, so that all units of a part are at multiples of their size.
   */
  List<Box> split(Box box, long elements) {
    List<Box> parts = new ArrayList<>();
    splitAtBounds(box, Math.max(1, elements), 0, parts);
    return parts;
  }

  private void splitAtBounds(Box box, long elements, int from, List<Box> to) {
    for (int i = from; i < axes.length; i++) {
      long begin = box.start(i);
      if (axes[i].end(begin) < box.end(i)) {
        while (begin < box.end(i)) {
          long end = Math.min(box.end(i), axes[i].end(begin));
          splitAtBounds(box.with(i, begin, end), elements, i + 1, to);
          begin = end;
        }
        return;
      }
    }
    split(box, elements, 0, to);
  }

  private void split(Box box, long elements, int from, List<Box> to) {
    int dimension = from;
    while (dimension < axes.length
        && axes[dimension].next(box.start(dimension)) >= box.end(dimension)) {
      dimension++;
    }
    long all = box.elements();
    if (all <= elements || dimension == axes.length) {
      to.add(box);
      return;
    }
    Axis axis = axes[dimension];
    long size = box.size(dimension);
    long parts =
        Math.min(Math.ceilDiv(all, elements), axis.steps(box.start(dimension), box.end(dimension)));
    long begin = box.start(dimension);
    for (long i = 1; i <= parts && begin < box.end(dimension); i++) {
      long end =
          i == parts
              ? box.end(dimension)
              : axis.ceil(box.start(dimension) + size / parts * i + size % parts * i / parts);
      if (end > begin) {
        split(box.with(dimension, begin, end), elements, dimension + 1, to);
        begin = end;
      }
    }
  }
}
