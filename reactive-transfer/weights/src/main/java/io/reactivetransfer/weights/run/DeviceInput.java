package io.reactivetransfer.weights.run;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.internal.DeviceWindow;
import io.reactivetransfer.weights.plan.Input;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An input of a step that lies on an accelerator. What the CPU prepares of it is a copy in the
 * host, of its elements alone: they may be a small part of the bytes from the first to the last.
 */
final class DeviceInput {

  private final DeviceMemory memory;
  private final Input input;

  /** How many elements follow each other without gaps. */
  private final long run;

  /** The dimensions along which there are gaps: the one with the least stride first. */
  private final int[] outer;

  private final Input copied;

  /** How long the copy is. */
  final long bytes;

  private DeviceInput(DeviceMemory memory, Input input) {
    this.memory = memory;
    this.input = input;
    int[] dimensions =
        IntStream.range(0, input.box().dimensions())
            .filter(i -> input.box().size(i) > 1)
            .boxed()
            .sorted(Comparator.comparingLong(i -> input.place().stride(i)))
            .mapToInt(Integer::intValue)
            .toArray();
    long[] strides = input.place().strides();
    long elements = 1;
    int inner = 0;
    for (int i = 0; i < dimensions.length; i++) {
      int dimension = dimensions[i];
      if (inner == i && input.place().stride(dimension) == elements) {
        inner++;
      }
      strides[dimension] = elements;
      elements *= input.box().size(dimension);
    }
    outer = IntStream.of(dimensions).skip(inner).toArray();
    run =
        IntStream.of(dimensions)
            .limit(inner)
            .mapToLong(input.box()::size)
            .reduce(1, (a, b) -> a * b);
    bytes = input.type().bytes(elements);
    copied = new Input(input.type(), input.box(), false, Place.of(0, 0, strides));
  }

  /** An input that is neither gathered nor in the host; null if it is either. */
  static @Nullable DeviceInput of(Input input, SourceMemory from) {
    return !input.isGathered()
            && from instanceof SourceMemory.Registered one
            && one.region().memory() instanceof DeviceMemory device
        ? new DeviceInput(device, input)
        : null;
  }

  /** Where its elements are in the copy. */
  Input copied() {
    return copied;
  }

  /** Checks that it can be copied. */
  void require(Accelerators accelerators, String tensor) {
    accelerators.require("tensor " + tensor + ", of which it prepares something", memory);
  }

  /** Copies what lies there now. */
  void copyTo(MemorySegment target, Accelerators accelerators) {
    long last = run - 1;
    for (int dimension : outer) {
      last += (input.box().size(dimension) - 1) * input.place().stride(dimension);
    }
    long end = input.place().offset() + Math.ceilDiv((last + 1) * input.type().bits(), Byte.SIZE);
    long length = input.type().bytes(run);
    long[] index = new long[outer.length];
    try (DeviceWindow window = accelerators.window(memory, end)) {
      for (long at = 0; at < bytes; at += length) {
        window.copy(input.place().offset() + offset(index), target, at, length);
        next(index);
      }
    }
  }

  private long offset(long[] index) {
    long elements = 0;
    for (int i = 0; i < outer.length; i++) {
      elements += index[i] * input.place().stride(outer[i]);
    }
    return elements * input.type().bits() / Byte.SIZE;
  }

  private void next(long[] index) {
    for (int i = 0; i < outer.length && ++index[i] == input.box().size(outer[i]); i++) {
      index[i] = 0;
    }
  }
}
