package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.Tensor;

/**
 * A tensor of the inference ranks.
 *
 * @param elements the bits of each element
 */
record Wanted(Tensor tensor, Content content, Elements elements) {

  /** What each element is in a version. */
  interface Elements {
    int bits(long version, long row, long column);
  }
}
