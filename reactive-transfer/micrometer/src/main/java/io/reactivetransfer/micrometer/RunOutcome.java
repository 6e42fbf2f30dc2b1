package io.reactivetransfer.micrometer;

import io.reactivetransfer.weights.run.RunRecorder.RunEnd;

/** What becomes of runs of trainers. */
enum RunOutcome {
  DONE("done"),
  CANCELLED("cancelled"),
  FAILED("failed");

  /** The value of the tag. */
  final String tag;

  RunOutcome(String tag) {
    this.tag = tag;
  }

  static RunOutcome of(RunEnd end) {
    return end.isCancelled() ? CANCELLED : end.failure() == null ? DONE : FAILED;
  }
}
