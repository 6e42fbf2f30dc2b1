package io.reactivetransfer.weights.run;

import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Step;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The inputs of a step, some of which lie on accelerators: copies of those are prepared. */
final class DeviceInputs {

  /** For each input what is to be copied; null where the host has it. */
  private final List<@Nullable DeviceInput> inputs = new ArrayList<>();

  private final Step.Prepare step;
  private final Step.Prepare copied;

  /** How long all copies are. */
  final long bytes;

  private DeviceInputs(Step.Prepare step, List<SourceMemory> memory) {
    this.step = step;
    List<Input> places = new ArrayList<>();
    long length = 0;
    for (Input input : step.inputs()) {
      DeviceInput one = DeviceInput.of(input, memory.get(input.place().region()));
      inputs.add(one);
      places.add(one == null ? input : one.copied());
      length += one == null ? 0 : one.bytes;
    }
    bytes = length;
    copied =
        new Step.Prepare(
            step.order(),
            step.tensor(),
            step.box(),
            places,
            step.gatherBytes(),
            step.gatherWrites(),
            step.runs());
  }

  /** Those of a step; null if the host has all of them. */
  static @Nullable DeviceInputs of(Step step, List<SourceMemory> memory) {
    if (step instanceof Step.Prepare prepare) {
      DeviceInputs made = new DeviceInputs(prepare, memory);
      return made.bytes == 0 ? null : made;
    }
    return null;
  }

  /** The step as it is done with the copies. */
  Step.Prepare copied() {
    return copied;
  }

  /** Checks that all of them can be copied. */
  void require(Accelerators accelerators, String tensor) {
    for (DeviceInput input : inputs) {
      if (input != null) {
        input.require(accelerators, tensor);
      }
    }
  }

  /** Where the copy of an input goes; null if it is not copied. */
  @Nullable MemorySegment copyOf(int input, MemorySegment copies) {
    long at = 0;
    for (int i = 0; i < input; i++) {
      DeviceInput before = inputs.get(i);
      at += before == null ? 0 : before.bytes;
    }
    DeviceInput one = inputs.get(input);
    return one == null ? null : copies.asSlice(at, one.bytes);
  }

  /** Copies what lies on the accelerators now. */
  void copyTo(MemorySegment copies, Accelerators accelerators) {
    for (int i = 0; i < step.inputs().size(); i++) {
      DeviceInput input = inputs.get(i);
      MemorySegment target = copyOf(i, copies);
      if (input != null && target != null) {
        input.copyTo(target, accelerators);
      }
    }
  }
}
