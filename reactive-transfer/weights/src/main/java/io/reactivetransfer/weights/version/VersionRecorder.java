package io.reactivetransfer.weights.version;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told of updates, on an inference rank ({@link WeightsRankBuilder#recorder}) or at a controller
 * ({@link WeightsController#open}): two calls for each, and none for a lease or a write. What hands
 * figures on to a monitoring system stands on it. More methods may join, which do nothing unless
 * they are overridden. One object may serve several of both.
 *
 * <p>Called on the thread on which it happens, of one rank or controller by one at a time: it must
 * neither block nor take long, for what is to be decided next waits meanwhile. What it throws is
 * logged, once for each rank or controller, and ends nothing.
 */
public interface VersionRecorder {

  /** Does nothing, and costs nothing. */
  VersionRecorder NONE = new VersionRecorder() {};

  /** An inference rank opens: the first that is told of it. */
  default void opened(WeightsRank rank) {}

  /** An inference rank was closed, and no NIC touches its buffers: the last that is told of it. */
  default void closed(WeightsRank rank) {}

  /** An update has begun on a rank; its end will be told. One that it refuses is not told of. */
  default void updateBegun(WeightsRank rank) {}

  /** An update is over on a rank. */
  default void updateEnded(WeightsRank rank, UpdateEnd end) {}

  /** A controller has opened: the first that is told of it. */
  default void opened(WeightsController controller) {}

  /** A controller was closed: the last that is told of it. */
  default void closed(WeightsController controller) {}

  /**
   * An update or a recovery has ended at its controller, which emits the result next, or when the
   * trainers have stopped.
   *
   * @param duration from the subscription to this end
   */
  default void decided(WeightsController controller, UpdateResult result, Duration duration) {}

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told. Who is told already is not
   * told twice.
   *
   * @param next such as one that shows meters
   */
  default VersionRecorder andThen(VersionRecorder next) {
    return VersionRecorderChain.of(this, next);
  }

  /** How an update has ended on one rank. It does not change any more. */
  interface UpdateEnd {

    /** Its number. */
    UpdateNumber update();

    /** Whether the rank has flipped to it; if not it was dropped, or the rank was closed. */
    boolean isFlipped();

    /** From when the rank was told of it to this end. */
    Duration duration();

    /**
     * From when the buffer was open to writes until all of them had come; null if they have not.
     */
    @Nullable Duration filling();

    /**
     * How long no leases were given because of it, up to this end: for the flip, and with an update
     * in place for all of the writing. 0 if they always were.
     */
    Duration pause();

    /** Why it was dropped, for people; empty if it has flipped. */
    String reason();
  }
}
