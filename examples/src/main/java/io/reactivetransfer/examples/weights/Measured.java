package io.reactivetransfer.examples.weights;

import java.util.Comparator;
import java.util.List;

/**
 * One update that has flipped everywhere.
 *
 * @param number which one of how many
 * @param end what the controller said
 * @param trainers what each trainer said
 * @param verified bytes that were compared, of all ranks together
 */
record Measured(
    int number, int count, UpdateEnd end, List<TrainerFigures> trainers, long verified) {

  /** Index of the one that took longest. */
  int slowest() {
    return trainers.indexOf(
        trainers.stream()
            .max(Comparator.comparingLong(TrainerFigures::elapsedNanos))
            .orElseThrow());
  }

  /** Bytes that went over the wire, those between trainers too. */
  long bytes() {
    return trainers.stream().mapToLong(TrainerFigures::bytes).sum();
  }

  /** From the first word to a trainer until all had written. */
  double bytesPerSecond() {
    return bytes() * 1e9 / trainers.get(slowest()).elapsedNanos();
  }
}
