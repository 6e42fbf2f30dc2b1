package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor of the inference engine in a table.
 *
 * @param tensor its name, type and shape
 * @param group the mesh group; an index into those of the table
 * @param unit how many elements along each dimension share a scale; null if there are no scales
 * @param scales the tensor that holds the scales; an index into those of the table, -1 if there are
 *     none
 */
public record TableTensor(Tensor tensor, int group, @Nullable Shape unit, int scales) {

  /** Checks that a unit goes with scales. */
  public TableTensor {
    Objects.requireNonNull(tensor, "tensor");
    if ((unit == null) != (scales < 0) || scales < -1) {
      throw new IllegalArgumentException(
          "expected units and scales of tensor "
              + tensor.name()
              + ", or neither, got "
              + unit
              + " and "
              + scales);
    }
    if (unit != null && unit.dimensions() != tensor.shape().dimensions()) {
      throw new IllegalArgumentException(
          "expected units of as many dimensions as tensor " + tensor + ", got " + unit);
    }
  }
}
