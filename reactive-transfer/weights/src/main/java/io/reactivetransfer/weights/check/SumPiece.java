package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.plan.Runs;

/**
 * Bytes of a run of which a trainer says the sum.
 *
 * @param tensor name of the tensor of the inference engine
 * @param runs those of the step
 * @param run which of them
 * @param row its first row
 * @param rows how many rows of it
 * @param from where these bytes begin in each row
 * @param rowBytes how many of each row
 */
record SumPiece(String tensor, Runs runs, int run, long row, long rows, long from, long rowBytes) {

  long bytes() {
    return rowBytes * rows;
  }

  /** Bytes in front of it, where the offset of the run counts. */
  long sourceOffset() {
    return runs.sourceOffset(run) + row * runs.sourceStride(run) + from;
  }

  /** What a trainer says of it. */
  SumMessage.Sum sum(int crc32c) {
    return new SumMessage.Sum(
        runs.targetRegion(run),
        runs.targetOffset(run) + row * runs.targetStride(run) + from,
        rowBytes,
        rows,
        runs.targetStride(run),
        crc32c);
  }
}
