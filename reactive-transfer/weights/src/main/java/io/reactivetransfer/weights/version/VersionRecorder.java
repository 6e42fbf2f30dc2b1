package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TraceContext;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Is told of updates, on an inference rank ({@link WeightsRankBuilder#recorder}) or at a controller
 * ({@link WeightsController#open}): of the beginning of each, and by what is returned for it of its
 * end, and of no lease and no write. What hands figures on to a monitoring system stands on it.
 * More methods may join, which do nothing unless they are overridden. One object may serve several
 * of both.
 *
 * <p>Called on the thread on which it happens, of one rank or controller by one at a time, as is
 * what is returned: it must neither block nor take long, for what is to be decided next waits
 * meanwhile. What it throws is logged, once for each rank or controller, and ends nothing; so is
 * null where something is to be returned, which counts as {@code NONE} then.
 */
public interface VersionRecorder {

  /** Does nothing, and costs nothing. */
  VersionRecorder NONE = new VersionRecorder() {};

  /** An inference rank opens: the first that is told of it. */
  default void opened(WeightsRank rank) {}

  /** An inference rank was closed, and no NIC touches its buffers: the last that is told of it. */
  default void closed(WeightsRank rank) {}

  /**
   * An update has begun on a rank. One that it refuses is not told of.
   *
   * @return who is told of its end; {@link UpdateRecorder#NONE} for nobody
   */
  default UpdateRecorder updateBegun(UpdateBegin begin) {
    return UpdateRecorder.NONE;
  }

  /** A controller has opened: the first that is told of it. */
  default void opened(WeightsController controller) {}

  /** A controller was closed: the last that is told of it. */
  default void closed(WeightsController controller) {}

  /**
   * An update or a recovery begins at its controller, before any rank or trainer is told of it. One
   * that is refused, because another one runs, the controller was closed or its timers take no
   * task, is not told of.
   *
   * @return who is told of its end; {@link ControllerRecorder#NONE} for nobody
   */
  default ControllerRecorder updateBegun(ControllerBegin begin) {
    return ControllerRecorder.NONE;
  }

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told, and what is thrown where
   * something is to be returned is logged, once for each such pair. Who is told already is not told
   * twice. Of two that send a trace context along the first one's counts.
   *
   * @param next such as one that shows meters
   */
  default VersionRecorder andThen(VersionRecorder next) {
    return VersionRecorderChain.of(this, next);
  }

  /** An update that has begun on one rank. It does not change any more. */
  interface UpdateBegin {

    /** On which rank. */
    WeightsRank rank();

    /** Its number. */
    UpdateNumber update();

    /** The application's name for what is written. */
    long version();

    /** How it is brought in. */
    UpdateMode mode();

    /** The engine of the controller that has begun it. */
    Peer controller();

    /**
     * What the controller's {@link ControllerRecorder#traceContext() recorder} has sent along;
     * empty if that was nothing. Whoever may be a controller can have sent any fields.
     */
    TraceContext traceContext();
  }

  /**
   * Is told of one update on one rank. More methods may join, which do nothing unless they are
   * overridden.
   */
  interface UpdateRecorder {

    /** Does nothing. */
    UpdateRecorder NONE = new UpdateRecorder() {};

    /**
     * Adds to the Context that a look at what has come ({@link WeightsRankBuilder#verify}) is
     * subscribed to with, so that what is done there is known to belong to this update. Asked once,
     * when the update has begun.
     *
     * @param context an empty one, or what another recorder has made of it
     * @return the same, or one with more in it
     */
    default Context context(Context context) {
      return context;
    }

    /** The update is over on this rank: the last that is told of it. */
    default void ended(UpdateEnd end) {}
  }

  /** How an update has ended on one rank. It does not change any more. */
  interface UpdateEnd {

    /** Its number. */
    UpdateNumber update();

    /** Whether the rank has flipped to it; if not it was dropped, or the rank was closed. */
    boolean isFlipped();

    /**
     * Bytes of the buffer that is served since: all of its regions, whether or not all of them were
     * written. 0 if the rank has not flipped to it.
     */
    long bytes();

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

  /** An update or a recovery that begins at its controller. It does not change any more. */
  interface ControllerBegin {

    /** At which controller. */
    WeightsController controller();

    /** What is to be done; null for a recovery. */
    @Nullable WeightsUpdate update();

    /** The names of its ranks; of a recovery all that may live. */
    Set<String> ranks();

    /** The Context of whoever has subscribed to it. */
    ContextView context();
  }

  /**
   * Is told of one update or recovery at its controller. More methods may join, which do nothing
   * unless they are overridden.
   */
  interface ControllerRecorder {

    /** Does nothing. */
    ControllerRecorder NONE = new ControllerRecorder() {};

    /**
     * What is sent along to all ranks and trainers of an update, so that what they do becomes a
     * part of the same trace. Asked once, before the first of them is told; of a recovery too,
     * which sends it to nobody. Left out of an order of {@code RemoteTrainers} that would be too
     * long with it.
     */
    default TraceContext traceContext() {
      return TraceContext.NONE;
    }

    /**
     * Adds to the Context that the publishers of {@link WeightsTrainer#write} are subscribed to
     * with, so that what is done there is known to belong to this update. Asked once, when it
     * begins.
     *
     * @param context that of whoever has subscribed to the update, or what another recorder has
     *     made of it
     * @return the same, or one with more in it
     */
    default Context context(Context context) {
      return context;
    }

    /**
     * It has ended at its controller, which emits the result next, or when the trainers have
     * stopped: the last that is told of it.
     */
    default void ended(ControllerEnd end) {}
  }

  /** How an update or a recovery has ended at its controller. It does not change any more. */
  interface ControllerEnd {

    /** What was decided, and what has become of each rank. */
    UpdateResult result();

    /** From the subscription to this end. */
    Duration duration();
  }
}
