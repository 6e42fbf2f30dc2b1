package io.reactivetransfer.weights.run;

/** What has passed a stage so far. Guarded by the run. */
final class Counted {

  private long steps;
  private long bytes;
  private long nanos;

  void add(long moreBytes, long moreNanos) {
    steps++;
    bytes += moreBytes;
    nanos += moreNanos;
  }

  StageProgress progress() {
    return progress(nanos);
  }

  StageProgress progress(long otherNanos) {
    return new StageProgress(steps, bytes, otherNanos);
  }
}
