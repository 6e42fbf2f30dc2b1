package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Place;
import java.util.Arrays;

/** Some elements of an inference tensor, and where in a tensor of the trainer they come from. */
final class Link {

  private final int source;
  private final Box box;
  private final long[] starts;
  private final int[] dimensions;

  /**
   * Links elements. The arrays are not changed by anybody.
   *
   * @param source index of the trainer's tensor
   * @param box which elements of the inference tensor
   * @param starts the first index along each dimension of the trainer's tensor
   * @param dimensions for each dimension of the inference tensor that of the trainer's one, or -1
   */
  Link(int source, Box box, long[] starts, int[] dimensions) {
    this.source = source;
    this.box = box;
    this.starts = starts;
    this.dimensions = dimensions;
  }

  int source() {
    return source;
  }

  Box box() {
    return box;
  }

  long[] starts() {
    return starts;
  }

  int[] dimensions() {
    return dimensions;
  }

  /** Which elements of the trainer's tensor. */
  Box sourceBox() {
    return toSource(box);
  }

  /** Where elements of the inference tensor come from; they are of this link. */
  Box toSource(Box of) {
    long[] from = starts.clone();
    long[] sizes = new long[starts.length];
    Arrays.fill(sizes, 1);
    for (int i = 0; i < dimensions.length; i++) {
      if (dimensions[i] >= 0) {
        from[dimensions[i]] += of.start(i) - box.start(i);
        sizes[dimensions[i]] = of.size(i);
      }
    }
    return Box.of(from, sizes);
  }

  /** What elements of the trainer's tensor become; they are of this link. */
  Box toTarget(Box of) {
    long[] from = box.starts();
    long[] sizes = box.sizes();
    for (int i = 0; i < dimensions.length; i++) {
      if (dimensions[i] >= 0) {
        from[i] += of.start(dimensions[i]) - starts[dimensions[i]];
        sizes[i] = of.size(dimensions[i]);
      }
    }
    return Box.of(from, sizes);
  }

  /** Strides of the trainer's tensor in the order of the inference tensor's dimensions. */
  long[] toTarget(Place place) {
    long[] strides = new long[dimensions.length];
    for (int i = 0; i < dimensions.length; i++) {
      strides[i] = dimensions[i] < 0 ? 1 : place.stride(dimensions[i]);
    }
    return strides;
  }

  /** Whether the last dimension is the last one of the trainer's tensor. */
  boolean keepsLast() {
    return dimensions.length > 0 && dimensions[dimensions.length - 1] == starts.length - 1;
  }
}
