package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Shape;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Brings quantised tensors and those of their scales together. */
final class ScaleChecks {

  private ScaleChecks() {}

  /** Refuses scales that belong to nothing, twice to the same, or have the wrong type or shape. */
  static void attach(
      int index,
      Targets.Wanted scales,
      String of,
      Map<String, TensorPlan> named,
      Set<String> quantized) {
    String name = scales.tensor().name();
    TensorPlan plan = named.get(of);
    if (plan == null || !quantized.contains(of)) {
      throw new PlanRefusedException(
          name,
          "expected scales "
              + name
              + " of a quantised tensor of the inference engine, got "
              + (plan == null ? "none named " + of : of + ", which is not quantised"));
    }
    if (plan.scales != null) {
      throw new PlanRefusedException(
          name,
          "expected the scales of tensor "
              + of
              + " in one tensor, got "
              + plan.scales.tensor().name()
              + " and "
              + name);
    }
    DataType type = scales.tensor().type();
    if (!type.isFloating() || type.isQuantized()) {
      throw new PlanRefusedException(
          name, "expected scales " + name + " of FP32, BF16 or FP16, got " + type);
    }
    Shape units = plan.grid.units();
    if (!scales.tensor().shape().squeezed().equals(units.squeezed())) {
      throw new PlanRefusedException(
          name,
          "expected scales "
              + name
              + " of shape "
              + units
              + ", one for each unit of tensor "
              + of
              + ", got "
              + scales.tensor().shape());
    }
    plan.scales = new TensorPlan.Scales(index, scales.tensor(), scales.places());
  }

  /** Refuses a quantised tensor whose scales nobody holds. */
  static void requireAttached(List<TensorPlan> plans, Set<String> quantized) {
    for (TensorPlan plan : plans) {
      String name = plan.tensor.name();
      if (quantized.contains(name) && plan.scales == null) {
        throw new PlanRefusedException(
            name,
            "expected a tensor of the inference engine that holds the scales of tensor "
                + name
                + ", got none");
      }
    }
  }
}
