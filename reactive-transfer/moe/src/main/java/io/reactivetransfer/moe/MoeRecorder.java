package io.reactivetransfer.moe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told of what becomes of a group and its steps: of the beginning of each step, and by what is
 * returned for it of its end, and of no token and no write. What hands figures on to a monitoring
 * system stands on it. Set by {@link MoeOptions.Builder#recorder}; more methods may join, which do
 * nothing unless they are overridden. One object may serve several groups.
 *
 * <p>Called on the thread on which it happens, which is of the same kinds as those on which halves
 * of a {@link MoeStep} signal; of one group by one at a time. It must neither block nor take long,
 * for all lanes wait meanwhile. What it throws, or returns null instead of, is logged, once for
 * each group, and ends nothing.
 */
public interface MoeRecorder {

  /** Does nothing, and costs nothing. */
  MoeRecorder NONE = new MoeRecorder() {};

  /** All ranks have joined: the first that is told of a group. */
  default void opened(MoeGroup group) {}

  /** Everything of the group was given back: the last that is told of it. */
  default void closed(MoeGroup group) {}

  /**
   * The group has failed, and no step begins any more; not told when it was closed.
   *
   * @param reason what all halves end with that were under way
   */
  default void groupFailed(MoeGroup group, GroupFailedException reason) {}

  /**
   * A step has begun: {@link MoeStep#dispatchSend} was subscribed to, and its turn has come.
   *
   * @return who is told of its end; {@link StepRecorder#NONE} for nobody
   */
  default StepRecorder stepBegun(StepBegin begin) {
    return StepRecorder.NONE;
  }

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told, and what is thrown where
   * something is to be returned is logged, once for each such pair. Who is told already is not told
   * twice.
   *
   * @param next such as one that shows meters
   */
  default MoeRecorder andThen(MoeRecorder next) {
    return MoeRecorderChain.of(this, next);
  }

  /** A step that has begun, on one rank. It does not change any more. */
  interface StepBegin {

    /** Whose step it is. */
    MoeGroup group();

    /** On which lane it is. */
    int lane();

    /** Tokens of this rank's group. */
    int tokens();
  }

  /** Is told of one step. More methods may join, which do nothing unless they are overridden. */
  interface StepRecorder {

    /** Does nothing. */
    StepRecorder NONE = new StepRecorder() {};

    /**
     * It has ended: its sums are there, it was refused, or the group has failed. Its halves signal
     * next.
     */
    default void ended(StepEnd end) {}
  }

  /** How a step has ended, on one rank. It does not change any more. */
  interface StepEnd {

    /** On which lane it was. */
    int lane();

    /** Tokens of this rank's group. */
    int tokens();

    /**
     * Tokens that this rank's experts have got, each counted for each of these experts; 0 if not
     * all have come. How these differ among ranks is how evenly experts are loaded.
     */
    long received();

    /**
     * Tokens that this rank has sent and that did not fit into the private slots of their targets,
     * each counted for each expert: they had to wait until the routes of all ranks had come.
     */
    long overflow();

    /** From the beginning to this end. */
    Duration duration();

    /**
     * From the beginning until the experts of this rank had the tokens of all ranks; null if it did
     * not come so far.
     */
    @Nullable Duration dispatch();

    /**
     * From then until {@link MoeStep#combineSend} was subscribed to: what the experts took, and
     * whatever else was done in between. Null if it did not come so far.
     */
    @Nullable Duration experts();

    /** From then until the sums were there; null if they are not. */
    @Nullable Duration combine();

    /**
     * A {@link StepRefusedException}, after which the group goes on, or a {@link
     * GroupFailedException}; null if the sums are there.
     */
    @Nullable MoeException failure();
  }
}
