package io.reactivetransfer.weights.run;

import io.reactivetransfer.TraceContext;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Is told of what becomes of the runs of a {@link TrainerRank}: of the beginning of each, and by
 * what is returned for it of its end, and of no step and no write. What hands figures on to a
 * monitoring system stands on it. Set by {@link RunOptions.Builder#recorder}; more methods may
 * join, which do nothing unless they are overridden. One object may serve several ranks.
 *
 * <p>Called on the thread on which it happens, as is what is returned: a caller's, one of the
 * engine's signal scheduler, of the scheduler of the {@link RunOptions} or of its timers. It must
 * neither block nor take long. What it throws is logged, once for each rank, and ends nothing; so
 * is null where something is to be returned, which counts as {@code NONE} then.
 */
public interface RunRecorder {

  /** Does nothing, and costs nothing. */
  RunRecorder NONE = new RunRecorder() {};

  /** A rank of the trainer has opened: the first that is told of it. */
  default void opened(TrainerRank rank) {}

  /** It was closed, and its temporaries were given up, or tried to be: the last. */
  default void closed(TrainerRank rank) {}

  /**
   * A run begins. One whose turn does not come is not told of.
   *
   * @return who is told of its end; {@link OneRunRecorder#NONE} for nobody
   */
  default OneRunRecorder runBegun(RunBegin begin) {
    return OneRunRecorder.NONE;
  }

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told, and what is thrown where
   * something is to be returned is logged, once for each such pair. Who is told already is not told
   * twice.
   *
   * @param next such as one that shows meters
   */
  default RunRecorder andThen(RunRecorder next) {
    return RunRecorderChain.of(this, next);
  }

  /** A run that begins. It does not change any more. */
  interface RunBegin {

    /** Of which rank. */
    TrainerRank rank();

    /** The number of the update, as {@link RunProgress#number()} has it. */
    long number();

    /** The Context of whoever has subscribed to it. */
    ContextView context();

    /**
     * What the message has carried that begins it: {@code TrainerService} and others who have the
     * order of a controller from another process put that into the Context, under the key {@code
     * TraceContext.class}. Empty if nothing is there. Whoever may give orders can have sent any
     * fields.
     *
     * @see io.reactivetransfer.weights.version.WriteOrder#traceContext()
     */
    TraceContext traceContext();
  }

  /** Is told of one run. More methods may join, which do nothing unless they are overridden. */
  interface OneRunRecorder {

    /** Does nothing. */
    OneRunRecorder NONE = new OneRunRecorder() {};

    /**
     * It has ended, and nothing of it touches memory any more, as far as is known: the last that is
     * told of it. That is before the next run can begin, and before {@link TrainerRank#whenQuiet()}
     * completes.
     */
    default void ended(RunEnd end) {}
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
