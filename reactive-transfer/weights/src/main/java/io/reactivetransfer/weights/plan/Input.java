package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import java.util.Objects;

/**
 * Elements of which a rank of the trainer prepares something. What is fused, transposed or cut is
 * said by the box and the strides alone: a copy with strides, and a cast, puts each element where
 * it belongs.
 *
 * @param type what they are
 * @param box which elements of the target tensor they become
 * @param isGathered whether other ranks write them, into the temporary of the step. Else the rank
 *     has them in a region of its own
 * @param place where they lie, with a stride for each dimension of the target tensor; the region is
 *     0 if they are gathered
 */
public record Input(DataType type, Box box, boolean isGathered, Place place) {

  /** Checks that there is a stride for each dimension. */
  public Input {
    Objects.requireNonNull(type, "type");
    if (box.dimensions() != place.dimensions()) {
      throw new IllegalArgumentException(
          "expected a stride for each dimension of " + box + ", got " + place);
    }
    if (isGathered && place.region() != 0) {
      throw new IllegalArgumentException(
          "expected what is gathered in region 0, got " + place.region());
    }
  }
}
