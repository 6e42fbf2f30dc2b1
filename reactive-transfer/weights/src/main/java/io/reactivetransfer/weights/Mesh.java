package io.reactivetransfer.weights;

import java.util.Arrays;
import java.util.List;

/**
 * Ranks in a grid with named axes, such as pipeline, expert and data parallel. The last axis counts
 * fastest: its neighbours have neighbouring numbers.
 *
 * @param name for people, and the group of the tensors that are cut over it, if nothing else is
 *     said
 * @param axes from the slowest one on
 */
public record Mesh(String name, List<Axis> axes) {

  /** The most ranks. */
  public static final int MAX_RANKS = 1 << 20;

  /**
   * One axis.
   *
   * @param name of the axis
   * @param size how many ranks along it, at least 1
   */
  public record Axis(String name, int size) {

    /** Checks both. */
    public Axis {
      Names.require("mesh axis", name);
      if (size < 1 || size > MAX_RANKS) {
        throw new IllegalArgumentException(
            "expected 1 to " + MAX_RANKS + " ranks along axis " + name + ", got " + size);
      }
    }
  }

  /** Checks the names and the number of ranks. */
  public Mesh {
    Names.require("mesh", name);
    axes = List.copyOf(axes);
    long ranks = 1;
    for (Axis axis : axes) {
      ranks *= axis.size;
      if (ranks > MAX_RANKS) {
        throw new IllegalArgumentException(
            "expected at most " + MAX_RANKS + " ranks in mesh " + name + ", got " + axes);
      }
    }
    if (axes.stream().map(Axis::name).distinct().count() < axes.size()) {
      throw new IllegalArgumentException(
          "expected axes of different names in mesh " + name + ", got " + axes);
    }
  }

  /** A mesh. */
  public static Mesh of(String name, Axis... axes) {
    return new Mesh(name, Arrays.asList(axes));
  }

  /** One axis of a mesh. */
  public static Axis axis(String name, int size) {
    return new Axis(name, size);
  }

  /** How many ranks it has. */
  public int ranks() {
    return axes.stream().mapToInt(Axis::size).reduce(1, (one, other) -> one * other);
  }

  /**
   * Where a rank is along an axis.
   *
   * @throws IllegalArgumentException if there is no such rank or axis
   */
  public int coordinate(int rank, String axis) {
    requireRank(rank);
    int index = indexOf(axis);
    int faster =
        axes.subList(index + 1, axes.size()).stream()
            .mapToInt(Axis::size)
            .reduce(1, (one, other) -> one * other);
    return rank / faster % axes.get(index).size;
  }

  /**
   * How many ranks there are along an axis.
   *
   * @throws IllegalArgumentException if there is no such axis
   */
  public int size(String axis) {
    return axes.get(indexOf(axis)).size;
  }

  void requireRank(int rank) {
    if (rank < 0 || rank >= ranks()) {
      throw new IllegalArgumentException(
          "expected a rank of 0 to " + (ranks() - 1) + " of mesh " + name + ", got " + rank);
    }
  }

  private int indexOf(String axis) {
    for (int i = 0; i < axes.size(); i++) {
      if (axes.get(i).name.equals(axis)) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "expected an axis of mesh "
            + name
            + " ("
            + axes.stream().map(Axis::name).toList()
            + "), got "
            + axis);
  }
}
