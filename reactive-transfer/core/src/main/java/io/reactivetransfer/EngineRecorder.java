package io.reactivetransfer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told of what becomes of an engine and is rare: what happens for each write is counted, see
 * {@link EngineStats} and {@link TrafficStats}. What hands figures on to a monitoring system stands
 * on both: it learns of the engine by {@link #opened}, reads its figures whenever it likes, and
 * times what it is told here. Set by {@link EngineOptions.Builder#recorder}; more methods may join,
 * which do nothing unless they are overridden. One object may serve several engines.
 *
 * <p>Called by the NIC's thread, within a turn. It must neither block nor take long, for nothing
 * else is done meanwhile; and it may ask for figures, ids and addresses, and nothing else of the
 * engine. What it throws is counted as a {@linkplain EngineStats#defects() defect}, and ends
 * nothing.
 */
public interface EngineRecorder {

  /** Does nothing, and costs nothing. */
  EngineRecorder NONE = new EngineRecorder() {};

  /** An engine has opened: the first that is told of it. */
  default void opened(TransferEngine engine) {}

  /**
   * An engine has closed, and its NICs touch no memory any more: the last that is told of it.
   *
   * @param reason what broke it, or null if it was closed
   */
  default void closed(TransferEngine engine, @Nullable Throwable reason) {}

  /** A peer has greeted, and can be written to: for the first time, or again after a loss. */
  default void peerFound(Peer peer) {}

  /** A peer was lost, or was not there when it was needed. */
  default void peerLost(Peer peer, PeerUnreachableException reason) {}

  /** A NIC has failed, and is not used any more. */
  default void nicFailed(EngineId engine, Nic nic, String reason) {}

  /** A NIC has lost its way to a peer, to which others may have theirs. */
  default void wayLost(Peer peer, Nic nic, String reason) {}

  /**
   * A transfer, or the part of it that goes to this peer, has failed on its way: told with the
   * first piece of it that did.
   */
  default void transferFailed(Peer peer, Nic nic, TransferException reason) {}

  /** A transfer that was taken over was rejected, and nothing of it was posted. */
  default void transferRejected(EngineId engine, TransferException reason) {}

  /**
   * Whether {@link #streamEnded} is to be called now: asked when a stream has come to its end, so
   * that nothing is made for who does not listen. It may be called all the same, for another one
   * that does.
   */
  default boolean isToldOfStreams() {
    return true;
  }

  /** A stream of transfers, or a single one, has come to its end, and its signal is next. */
  default void streamEnded(EngineId engine, StreamEnd end) {}

  /**
   * A peer that writes to a region has not stopped within {@link EngineOptions#revocationGrace()}:
   * its key is ended under it.
   */
  default void revocationOverdue(Peer peer) {}

  /**
   * One turn of the NIC's thread took longer than {@link EngineOptions#stallThreshold}: nothing was
   * posted, polled or signalled meanwhile. Somebody's code has run on that thread for so long, such
   * as a subscriber whose signals come there; or the garbage collector, or the operating system,
   * has stopped it. A stop between two turns is not noticed.
   */
  default void stalled(EngineId engine, Duration took) {}

  /** Something has come from a NIC or a peer that must not come; it was survived. */
  default void defect(EngineId engine, String text) {}

  /**
   * One that tells this recorder everything, and then another one, on the same thread, also where
   * this one throws: what was thrown last is thrown when both were told. Who is told already is not
   * told twice.
   *
   * @param next such as one that shows meters
   */
  default EngineRecorder andThen(EngineRecorder next) {
    return RecorderChain.of(this, next);
  }

  /** How a stream of transfers has ended. Given by engines; it does not change any more. */
  interface StreamEnd {

    /** Transfers that were done. */
    long transfers();

    /** Bytes of those, over all targets. */
    long bytes();

    /** Transfers that were taken over, and were not done. */
    long transfersNotDone();

    /** From when the engine took the first notice of it, to when nothing of it was in flight. */
    Duration duration();

    /**
     * How much of that passed before its first piece was posted, to whichever peer: all of it if
     * nothing was posted. What it waited for does not matter: that its upstream emits something,
     * that a peer greets, or that there is room. The rest is the time until what was posted was
     * done, and what else came meanwhile.
     */
    Duration queued();

    /** Whether anything of it was posted. */
    boolean isPosted();

    /** What it failed with, or null if it completed or was cancelled. */
    @Nullable Throwable failure();

    /** Whether it was cancelled. */
    boolean isCancelled();
  }
}
