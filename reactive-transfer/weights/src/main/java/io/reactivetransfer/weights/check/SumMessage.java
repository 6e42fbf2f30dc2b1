package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.version.UpdateNumber;
import java.util.ArrayList;
import java.util.List;

/**
 * What a rank of the trainer says to an inference rank of what it has written there, or a part of
 * it: as many messages as {@code total} sums need.
 *
 * @param update which update
 * @param trainer name of the rank of the trainer
 * @param arrivals how many writes it makes to this inference rank
 * @param total how many sums it says of them
 * @param first how many of these sums are in messages before this one
 * @param tensors the sums of this message
 */
record SumMessage(
    UpdateNumber update,
    String trainer,
    long arrivals,
    int total,
    int first,
    List<OfTensor> tensors) {

  SumMessage {
    tensors = List.copyOf(tensors);
  }

  /** The same sums in two messages; in one if there is no more than one of them. */
  List<SumMessage> halves() {
    int half = count() / 2;
    if (half == 0) {
      return List.of(this);
    }
    List<OfTensor> before = new ArrayList<>();
    List<OfTensor> behind = new ArrayList<>();
    int left = half;
    for (OfTensor one : tensors) {
      int here = Math.min(left, one.sums().size());
      left -= here;
      if (here > 0) {
        before.add(new OfTensor(one.tensor(), one.sums().subList(0, here)));
      }
      if (here < one.sums().size()) {
        behind.add(new OfTensor(one.tensor(), one.sums().subList(here, one.sums().size())));
      }
    }
    return List.of(
        new SumMessage(update, trainer, arrivals, total, first, before),
        new SumMessage(update, trainer, arrivals, total, first + half, behind));
  }

  int count() {
    return tensors.stream().mapToInt(one -> one.sums().size()).sum();
  }

  /**
   * Sums of one tensor.
   *
   * @param tensor its name
   * @param sums its sums
   */
  record OfTensor(String tensor, List<Sum> sums) {

    OfTensor {
      sums = List.copyOf(sums);
    }
  }

  /**
   * One sum.
   *
   * @param region region of the inference rank
   * @param offset bytes in front of the first row there
   * @param rowBytes bytes of a row
   * @param rows how many
   * @param stride bytes from one to the next; at least the length of a row
   * @param crc32c of all rows, one after the other
   */
  record Sum(int region, long offset, long rowBytes, long rows, long stride, int crc32c) {

    /** From the first byte to the last. */
    long extent() {
      return Sums.extent(rowBytes, rows, stride);
    }
  }
}
