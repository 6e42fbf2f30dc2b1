package io.reactivetransfer.weights.run;

import org.jspecify.annotations.Nullable;

/**
 * Is told of what becomes of the runs of a {@link TrainerRank}: two calls for each, and none for a
 * step or a write. What hands figures on to a monitoring system stands on it. Set by {@link
 * RunOptions.Builder#recorder}; more methods may join, which do nothing unless they are overridden.
 * One object may serve several ranks.
 *
 * <p>Called on the thread on which it happens: a caller's, one of the engine's signal scheduler, of
 * the scheduler of the {@link RunOptions} or of its timers. It must neither block nor take long.
 * What it throws is logged, once for each rank, and ends nothing.
 */
public interface RunRecorder {

  /** Does nothing, and costs nothing. */
  RunRecorder NONE = new RunRecorder() {};

  /** A rank of the trainer has opened: the first that is told of it. */
  default void opened(TrainerRank rank) {}

  /** It was closed, and its temporaries were given up, or tried to be: the last. */
  default void closed(TrainerRank rank) {}

  /** A run begins; its end will be told. One whose turn does not come is not told of. */
  default void runBegun(TrainerRank rank) {}

  /**
   * A run has ended, and nothing of it touches memory any more, as far as is known. It is told
   * before the next run can begin, and before {@link TrainerRank#whenQuiet()} completes.
   */
  default void runEnded(TrainerRank rank, RunEnd end) {}

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told. Who is told already is not
   * told twice.
   *
   * @param next such as one that shows meters
   */
  default RunRecorder andThen(RunRecorder next) {
    return RunRecorderChain.of(this, next);
  }

  /** How a run has ended. It does not change any more. */
  interface RunEnd {

    /** How far it has come, with all times and bytes. */
    RunProgress progress();

    /** What it failed with; null if all was written, or if a cancel has ended it. */
    @Nullable Throwable failure();

    /**
     * Whether a cancel has ended it. One that comes when the run has failed, or has written all,
     * ends nothing.
     */
    boolean isCancelled();
  }
}
