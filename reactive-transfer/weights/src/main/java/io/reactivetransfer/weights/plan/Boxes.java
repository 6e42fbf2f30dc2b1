package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is computed of boxes. */
final class Boxes {

  /** By the first index along the first dimension, then the second, and so on. */
  static final Comparator<Box> ORDER =
      (one, other) -> {
        for (int i = 0; i < one.dimensions(); i++) {
          int compared = Long.compare(one.start(i), other.start(i));
          if (compared != 0) {
            return compared;
          }
        }
        return Long.compare(one.elements(), other.elements());
      };

  private Boxes() {}

  /** Adds what a box has and another one has not, as boxes; cut along the first dimension first. */
  static void subtract(Box from, Box taken, List<Box> to) {
    if (!from.meets(taken)) {
      to.add(from);
      return;
    }
    Box rest = from;
    for (int i = 0; i < from.dimensions(); i++) {
      if (rest.start(i) < taken.start(i)) {
        to.add(rest.with(i, rest.start(i), taken.start(i)));
        rest = rest.with(i, taken.start(i), rest.end(i));
      }
      if (rest.end(i) > taken.end(i)) {
        to.add(rest.with(i, taken.end(i), rest.end(i)));
        rest = rest.with(i, rest.start(i), taken.end(i));
      }
    }
  }

  /** What a box has and none of the others. */
  static List<Box> without(Box whole, List<Box> taken) {
    List<Box> left = new ArrayList<>(List.of(whole));
    for (Box one : taken) {
      left = without(left, one);
    }
    return left;
  }

  /** What these have and another one has not. */
  static List<Box> without(List<Box> boxes, Box taken) {
    List<Box> left = new ArrayList<>(boxes.size());
    for (Box box : boxes) {
      subtract(box, taken, left);
    }
    return left;
  }

  /** The sum of their elements. */
  static long elements(List<Box> boxes) {
    long elements = 0;
    for (Box box : boxes) {
      elements += box.elements();
    }
    return elements;
  }
}
