package io.reactivetransfer.weights;

import java.util.ArrayList;
import java.util.List;

/**
 * Which part of a tensor each rank of a mesh holds. Begins as replicated on all ranks. Each step
 * takes axes of the mesh: along them dimensions are split, or the tensor lives at one coordinate
 * only, or what is left is cut as a flat array. Along the axes that no step takes all ranks hold
 * the same. Immutable.
 *
 * <ul>
 *   <li>Tensor parallel: {@code split(0, "tp")} for columns, {@code split(1, "tp")} for rows
 *   <li>Pipeline parallel: {@code at("pp", stage)}
 *   <li>Expert parallel: {@code split(0, "ep")} where experts are stacked, else {@code at("ep",
 *       rank)}
 *   <li>Fully sharded, parameter by parameter: {@code split(0, "fsdp")}
 *   <li>Fully sharded, flat: {@code flat("fsdp")}, or {@link FlatShards} for several tensors in one
 *       flat array
 * </ul>
 */
public final class Sharding {

  private record Split(int dimension, Cut cut, List<String> axes) {}

  private record At(String axis, int coordinate) {}

  private final Mesh mesh;
  private final List<Split> splits;
  private final List<At> places;
  private final List<String> flat;
  private final boolean padded;

  private Sharding(
      Mesh mesh, List<Split> splits, List<At> places, List<String> flat, boolean padded) {
    this.mesh = mesh;
    this.splits = List.copyOf(splits);
    this.places = List.copyOf(places);
    this.flat = List.copyOf(flat);
    this.padded = padded;
    requireAxes();
  }

  /** All ranks hold all of it. */
  public static Sharding replicated(Mesh mesh) {
    return new Sharding(mesh, List.of(), List.of(), List.of(), false);
  }

  /** The ranks. */
  public Mesh mesh() {
    return mesh;
  }

  /** A dimension is split along axes, the first of them outermost; the last ones have less. */
  public Sharding split(int dimension, String... axes) {
    return split(dimension, Cut.LAST_HAS_LESS, axes);
  }

  /**
   * A dimension is split along axes, the first of them outermost.
   *
   * @throws IllegalArgumentException if the dimension is split already, or an axis is not free
   */
  public Sharding split(int dimension, Cut cut, String... axes) {
    if (dimension < 0
        || axes.length == 0
        || splits.stream().anyMatch(split -> split.dimension == dimension)) {
      throw new IllegalArgumentException(
          "expected a dimension that is not split yet, and axes to split it along, got dimension "
              + dimension
              + " and "
              + List.of(axes));
    }
    List<Split> more = new ArrayList<>(splits);
    more.add(new Split(dimension, cut, List.of(axes)));
    return new Sharding(mesh, more, places, flat, padded);
  }

  /**
   * Only the ranks at this coordinate hold something.
   *
   * @throws IllegalArgumentException if there is no such coordinate, or the axis is not free
   */
  public Sharding at(String axis, int coordinate) {
    if (coordinate < 0 || coordinate >= mesh.size(axis)) {
      throw new IllegalArgumentException(
          "expected a coordinate of 0 to "
              + (mesh.size(axis) - 1)
              + " along axis "
              + axis
              + ", got "
              + coordinate);
    }
    List<At> more = new ArrayList<>(places);
    more.add(new At(axis, coordinate));
    return new Sharding(mesh, splits, more, flat, padded);
  }

  /**
   * What is left after all splits is cut as one flat array, in shares of equal length of which the
   * last ones are padded.
   *
   * @throws IllegalArgumentException if an axis is not free
   */
  public Sharding flat(String... axes) {
    List<String> more = new ArrayList<>(flat);
    more.addAll(List.of(axes));
    return new Sharding(mesh, splits, places, more, padded);
  }

  /**
   * All ranks have arrays of the same shape, that of the largest part; what is behind a smaller
   * part is padding. Without this each array is as large as its part.
   */
  public Sharding padded() {
    return new Sharding(mesh, splits, places, flat, true);
  }

  /**
   * What a rank of the mesh holds of a tensor.
   *
   * @throws IllegalArgumentException if there is no such rank, or the tensor has not so many
   *     dimensions
   */
  public LocalPart of(Tensor tensor, int rank) {
    mesh.requireRank(rank);
    Shape shape = tensor.shape();
    long[] starts = new long[shape.dimensions()];
    long[] sizes = shape.sizes();
    long[] allocated = shape.sizes();
    boolean empty = false;
    for (At at : places) {
      empty |= mesh.coordinate(rank, at.axis) != at.coordinate;
    }
    for (Split split : splits) {
      int dimension = split.dimension;
      if (dimension >= shape.dimensions()) {
        throw new IllegalArgumentException(
            "expected tensor "
                + tensor.name()
                + " to have a dimension "
                + dimension
                + ", got "
                + shape);
      }
      int parts = parts(split.axes);
      int part = part(split.axes, rank);
      long size = shape.size(dimension);
      starts[dimension] = split.cut.start(size, parts, part);
      sizes[dimension] = split.cut.start(size, parts, part + 1) - starts[dimension];
      allocated[dimension] = padded ? split.cut.longest(size, parts) : sizes[dimension];
      empty |= sizes[dimension] == 0;
    }
    if (empty) {
      return LocalPart.empty(tensor);
    }
    Box box = Box.of(starts, sizes);
    if (flat.isEmpty()) {
      return LocalPart.box(tensor, box, Shape.of(allocated));
    }
    long share = Math.ceilDiv(box.elements(), parts(flat));
    long from = Math.min(box.elements(), part(flat, rank) * share);
    return LocalPart.flat(tensor, box, from, Math.min(box.elements(), from + share), share);
  }

  private int parts(List<String> axes) {
    return axes.stream().mapToInt(mesh::size).reduce(1, (one, other) -> one * other);
  }

  private int part(List<String> axes, int rank) {
    int part = 0;
    for (String axis : axes) {
      part = part * mesh.size(axis) + mesh.coordinate(rank, axis);
    }
    return part;
  }

  private void requireAxes() {
    List<String> used = new ArrayList<>(flat);
    splits.forEach(split -> used.addAll(split.axes));
    places.forEach(at -> used.add(at.axis));
    used.forEach(mesh::size);
    if (used.stream().distinct().count() < used.size()) {
      throw new IllegalArgumentException("expected each axis at most once, got " + used);
    }
  }
}
