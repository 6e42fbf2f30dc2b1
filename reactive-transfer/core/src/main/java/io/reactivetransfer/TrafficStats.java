package io.reactivetransfer;

import java.time.Duration;

/**
 * What goes over one NIC of an engine, or to and from one of its peers. Each figure is exact for
 * some recent moment, all together for none; more may join. What others write here without an
 * immediate is not seen: no NIC tells of it.
 */
public interface TrafficStats {

  /** Pieces posted and not reported. */
  long writesInFlight();

  /** Pieces posted so far. */
  long writesPosted();

  /** Bytes of those pieces. */
  long bytesPosted();

  /** Pieces that were reported as failed, or as refused by their target; posted again or not. */
  long writesFailed();

  /**
   * Those of them that were posted again, or were to be, as their way was lost: at the lost one.
   */
  long writesPostedAgain();

  /**
   * Places of the depth of this NIC that are free: its depth, less what is in flight. What one peer
   * may have of them is less ({@link EngineOptions#peerDepth}, {@link EngineOptions#peerBytes}, and
   * two thirds of what is free). 0 of a NIC that has failed, and of a peer, to which all NICs post.
   */
  long credits();

  /** How often a piece was not taken over, because the NIC or the peer was busy. */
  long refusals();

  /** Pieces with an immediate that arrived; from a peer, as far as the NIC names origins. */
  long arrivals();

  /**
   * Bytes of those pieces, as far as the NIC is told how long they were; of others none are
   * counted. Of a write of more than eight pieces the first ones have no immediate, so theirs are
   * not among these.
   */
  long bytesArrived();

  /**
   * How often the peer was told to take back what it has counted under an immediate, or that it is
   * not to wait for, because a transfer was not done; what is said again is not counted. Peers are
   * told and not NICs, so this and the next one are 0 of a NIC.
   */
  long abortsSent();

  /** How often the peer has told this engine to do so. */
  long abortsReceived();

  /**
   * Parts of transfers that wait to be posted now: for a greeting, for room, or for their turn.
   * What waits belongs to no NIC yet, so this and the next two are 0 of a NIC.
   */
  long transfersWaiting();

  /** How often a part of a transfer has waited so, and waits no more. */
  long transfersQueued();

  /** How long those have waited, in all. */
  Duration timeQueued();

  /**
   * Messages to the peer whose last byte the control channel has taken over. Messages belong to no
   * NIC, so this and the next four are 0 of one.
   */
  long messagesSent();

  /** Bytes of those messages. */
  long messageBytesSent();

  /** Messages to the peer that wait for credit, for a greeting, or for those before them. */
  long messagesWaiting();

  /** Messages of the peer that have come, whether or not the application has taken them. */
  long messagesReceived();

  /** Bytes of those messages. */
  long messageBytesReceived();
}
