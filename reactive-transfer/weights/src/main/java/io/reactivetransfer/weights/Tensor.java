package io.reactivetransfer.weights;

import java.util.Objects;

/**
 * What all ranks of a side agree on about a tensor.
 *
 * @param name by which the ranks of a side know it
 * @param type of its elements
 * @param shape of the whole tensor, wherever its parts lie
 */
public record Tensor(String name, DataType type, Shape shape) {

  /** Checks the name. */
  public Tensor {
    Names.require("tensor", name);
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(shape, "shape");
    if (type.isPacked() && (shape.dimensions() == 0 || lastSize(shape) % 2 != 0)) {
      throw new IllegalArgumentException(
          "expected tensor "
              + name
              + " of "
              + type
              + " to have an even number of elements along its last dimension, got "
              + shape);
    }
  }

  private static long lastSize(Shape shape) {
    return shape.size(shape.dimensions() - 1);
  }

  /** Bytes of the whole tensor, if it lay without gaps. */
  public long bytes() {
    return type.bytes(shape.elements());
  }

  /** As in {@code layers.0.q BF16 [4096, 4096]}. */
  @Override
  public String toString() {
    return name + " " + type + " " + shape;
  }
}
