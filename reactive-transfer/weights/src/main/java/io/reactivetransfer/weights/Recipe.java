package io.reactivetransfer.weights;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** From which tensors of the trainer an inference tensor is made, and how they are put together. */
public sealed interface Recipe {

  /** The deepest nesting, and the most parts of all levels together. */
  int MAX_DEPTH = 16;

  /** The most nodes of a recipe. */
  int MAX_NODES = 1 << 16;

  /** A tensor of the trainer as it is. */
  static Recipe of(String tensor) {
    return new Of(tensor);
  }

  /** Parts one behind the other along a dimension, as in query, key and value. */
  static Recipe fused(int dimension, Recipe... parts) {
    return new Fused(dimension, Arrays.asList(parts));
  }

  /** Tensors one behind the other along a dimension. */
  static Recipe fused(int dimension, String... tensors) {
    return new Fused(dimension, Arrays.stream(tensors).map(Recipe::of).toList());
  }

  /** Parts of one shape, each one index of a new dimension, as in experts that are stacked. */
  static Recipe stacked(int dimension, Recipe... parts) {
    return new Stacked(dimension, Arrays.asList(parts));
  }

  /** A matrix whose two dimensions are exchanged. */
  static Recipe transposed(String tensor) {
    return new Transposed(new Of(tensor), List.of(1, 0));
  }

  /** How deep it is nested. */
  default int depth() {
    return 1 + parts().stream().mapToInt(Recipe::depth).max().orElse(0);
  }

  /** How many nodes it has, itself included. */
  default int nodes() {
    return 1 + parts().stream().mapToInt(Recipe::nodes).sum();
  }

  /** What it is made from directly. */
  List<Recipe> parts();

  /**
   * A tensor of the trainer as it is.
   *
   * @param tensor its name
   */
  record Of(String tensor) implements Recipe {

    /** Checks the name. */
    public Of {
      Names.require("tensor", tensor);
    }

    @Override
    public List<Recipe> parts() {
      return List.of();
    }
  }

  /**
   * With its dimensions in another order.
   *
   * @param part what is transposed
   * @param order which dimension of it comes first, second and so on; each once
   */
  record Transposed(Recipe part, List<Integer> order) implements Recipe {

    /** Checks the order. */
    public Transposed {
      order = List.copyOf(order);
      List<Integer> all = IntStream.range(0, order.size()).boxed().toList();
      if (!order.stream().sorted().toList().equals(all) || order.size() > Shape.MAX_DIMENSIONS) {
        throw new IllegalArgumentException(
            "expected each of 0 to " + (order.size() - 1) + " once, got " + order);
      }
      requireSize(part.depth(), part.nodes());
    }

    @Override
    public List<Recipe> parts() {
      return List.of(part);
    }
  }

  /**
   * Parts one behind the other.
   *
   * @param dimension along which
   * @param parts alike in all other dimensions, at least one
   */
  record Fused(int dimension, List<Recipe> parts) implements Recipe {

    /** Checks that there are parts. */
    public Fused {
      parts = List.copyOf(parts);
      requireParts(dimension, parts);
    }
  }

  /**
   * Parts, each one index of a new dimension.
   *
   * @param dimension which dimension the new one is
   * @param parts of one shape, at least one
   */
  record Stacked(int dimension, List<Recipe> parts) implements Recipe {

    /** Checks that there are parts. */
    public Stacked {
      parts = List.copyOf(parts);
      requireParts(dimension, parts);
    }
  }

  /**
   * A part of a tensor.
   *
   * @param part of what
   * @param box which elements
   */
  record Sliced(Recipe part, Box box) implements Recipe {

    /** Checks that there is a box. */
    public Sliced {
      Objects.requireNonNull(box, "box");
      requireSize(part.depth(), part.nodes());
    }

    @Override
    public List<Recipe> parts() {
      return List.of(part);
    }
  }

  /**
   * One index of a dimension, which is left out: the opposite of stacking.
   *
   * @param part of what
   * @param dimension which dimension
   * @param index along it
   */
  record Picked(Recipe part, int dimension, long index) implements Recipe {

    /** Checks both numbers. */
    public Picked {
      if (dimension < 0 || dimension >= Shape.MAX_DIMENSIONS || index < 0) {
        throw new IllegalArgumentException(
            "expected a dimension and an index of 0 or more, got " + dimension + " and " + index);
      }
      requireSize(part.depth(), part.nodes());
    }

    @Override
    public List<Recipe> parts() {
      return List.of(part);
    }
  }

  private static void requireParts(int dimension, List<Recipe> parts) {
    if (dimension < 0 || dimension >= Shape.MAX_DIMENSIONS || parts.isEmpty()) {
      throw new IllegalArgumentException(
          "expected a dimension of 0 or more and 1 or more parts, got "
              + dimension
              + " and "
              + parts.size());
    }
    int depth = parts.stream().mapToInt(Recipe::depth).max().orElseThrow();
    requireSize(depth, parts.stream().mapToInt(Recipe::nodes).sum());
  }

  private static void requireSize(int depth, int nodes) {
    if (depth >= MAX_DEPTH || nodes >= MAX_NODES) {
      throw new IllegalArgumentException(
          "expected a recipe of at most "
              + MAX_DEPTH
              + " levels and "
              + MAX_NODES
              + " nodes, got "
              + (depth + 1)
              + " and "
              + (nodes + 1));
    }
  }
}
