package io.reactivetransfer.weights.run;

/**
 * How far a run is.
 *
 * @param number that of the update
 * @param steps of how many steps it consists
 * @param bytes how many bytes it writes, to other ranks of the trainer too
 * @param loaded what was brought from memory that NICs do not read into temporaries
 * @param gathered what others have written here to be prepared; the time is how long steps have
 *     waited for it, all of them together
 * @param prepared what was cast or quantised
 * @param written what is done; the time is what handing writes to the engine took
 * @param temporaryBytes how many bytes of temporaries are in use
 * @param waitNanos how long all writes have been handed over without being done: what the network
 *     takes after this rank's own work
 * @param elapsedNanos since the run began
 */
public record RunProgress(
    long number,
    long steps,
    long bytes,
    StageProgress loaded,
    StageProgress gathered,
    StageProgress prepared,
    StageProgress written,
    long temporaryBytes,
    long waitNanos,
    long elapsedNanos) {

  /** Whether all steps are done. */
  public boolean isDone() {
    return written.steps() == steps;
  }
}
