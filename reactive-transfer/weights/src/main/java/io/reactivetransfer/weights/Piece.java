package io.reactivetransfer.weights;

import java.util.Objects;

/**
 * Some elements of a tensor, and where a rank has them.
 *
 * @param box which elements of the whole tensor
 * @param place where they lie; the strides do not let two elements lie at one place
 */
public record Piece(Box box, Place place) {

  /** Checks the strides. */
  public Piece {
    Objects.requireNonNull(box, "box");
    Objects.requireNonNull(place, "place");
    if (box.dimensions() != place.dimensions()) {
      throw new IllegalArgumentException(
          "expected as many strides as the box has dimensions ("
              + box.dimensions()
              + "), got "
              + place.dimensions());
    }
    if (extent(box, place) < 0) {
      throw new IllegalArgumentException(
          "expected strides at which the elements of "
              + box
              + " lie apart and within 2^56 elements, got "
              + place);
    }
  }

  /** From the first to the last element, both included. */
  public long extent() {
    return extent(box, place);
  }

  /** -1 if elements would share a place, or lie too far from each other. */
  private static long extent(Box box, Place place) {
    long extent = 1;
    long done = 0; // all strides up to this one
    while (true) {
      long next = Long.MAX_VALUE;
      for (int i = 0; i < box.dimensions(); i++) {
        long stride = place.stride(i);
        if (box.size(i) > 1 && stride > done) {
          next = Math.min(next, stride);
        }
      }
      if (next == Long.MAX_VALUE) {
        return extent <= Shape.MAX_ELEMENTS ? extent : -1;
      }
      boolean taken = false;
      for (int i = 0; i < box.dimensions(); i++) {
        if (box.size(i) > 1 && place.stride(i) == next) {
          if (taken || next < extent || box.size(i) > Shape.MAX_ELEMENTS / next) {
            return -1;
          }
          extent += (box.size(i) - 1) * next;
          taken = true;
        }
      }
      done = next;
    }
  }
}
