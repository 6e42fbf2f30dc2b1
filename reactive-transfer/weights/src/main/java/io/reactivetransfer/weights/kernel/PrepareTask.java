package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is to be prepared, and where. All memory stays that of whoever made it, and is used until
 * the function has returned.
 *
 * @param tensor the tensor that is made, with its unit if it is quantised
 * @param scaleType what the scales are; null if there are none
 * @param step which part of the tensor, and of what
 * @param inputs for each input of the step the memory that its place counts in, of the host: a
 *     copy, if it lies on an accelerator; only read
 * @param output where the elements go, without gaps, as long as the step's elements are
 * @param scales where the scales go, without gaps, as long as they are; empty if there are none
 */
public record PrepareTask(
    TableTensor tensor,
    @Nullable DataType scaleType,
    Step.Prepare step,
    List<MemorySegment> inputs,
    MemorySegment output,
    MemorySegment scales) {

  /** Checks the lengths. */
  public PrepareTask {
    inputs = List.copyOf(inputs);
    Objects.requireNonNull(tensor, "tensor");
    if (inputs.size() != step.inputs().size()) {
      throw new IllegalArgumentException(
          "expected memory for each of "
              + step.inputs().size()
              + " inputs of tensor "
              + tensor.tensor().name()
              + ", got "
              + inputs.size());
    }
    requireLength(tensor, "output", tensor.tensor().type(), step.box().elements(), output);
    Shape unit = tensor.unit();
    if ((unit == null) != (scaleType == null)) {
      throw new IllegalArgumentException(
          "expected a type of scales if tensor "
              + tensor.tensor().name()
              + " has units, got "
              + scaleType
              + " and "
              + unit);
    }
    if (unit != null && scaleType != null) {
      requireLength(tensor, "scales", scaleType, units(step, unit), scales);
    }
  }

  private static long units(Step.Prepare step, Shape unit) {
    long units = 1;
    for (int i = 0; i < unit.dimensions(); i++) {
      units *= Math.ceilDiv(step.box().size(i), unit.size(i));
    }
    return units;
  }

  private static void requireLength(
      TableTensor tensor, String what, DataType type, long elements, MemorySegment memory) {
    if (memory.byteSize() != type.bytes(elements)) {
      throw new IllegalArgumentException(
          "expected "
              + type.bytes(elements)
              + " bytes for the "
              + what
              + " of tensor "
              + tensor.tensor().name()
              + ", got "
              + memory.byteSize());
    }
  }
}
