package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import org.jspecify.annotations.Nullable;

/**
 * A hand-over ended before all of it was there. Names the peer at the other end; the content of the
 * pages is undefined. Ask again, or ask another prefill node: with new pages and another immediate.
 */
public final class HandOverException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why it ended. */
  public enum Reason {
    /** The peer cannot be reached, or was lost. */
    PEER_LOST,
    /** The time that decode gave was over. */
    DEADLINE,
    /** Prefill did not take the request; no page was touched. */
    REFUSED,
    /** The other side cancelled. */
    CANCELLED,
    /** A write failed, or the one who computes the layers did. */
    FAILED
  }

  private final Reason reason;
  private final long requestId;
  private final transient Peer peer;

  HandOverException(
      Reason reason,
      String role,
      Peer peer,
      long requestId,
      String text,
      @Nullable Throwable cause) {
    super("hand-over " + requestId + " with " + role + " " + peer.address() + ": " + text, cause);
    this.reason = reason;
    this.requestId = requestId;
    this.peer = peer;
  }

  /** Says of any failure with whom it happened. */
  static HandOverException of(Throwable cause, String role, Peer peer, long requestId) {
    if (cause instanceof HandOverException already) {
      return already;
    }
    Reason reason =
        switch (cause) {
          case PeerUnreachableException e -> Reason.PEER_LOST;
          case DeadlineExceededException e -> Reason.DEADLINE;
          default -> Reason.FAILED;
        };
    return new HandOverException(reason, role, peer, requestId, textOf(cause), cause);
  }

  /** The message of an exception, or its kind if it has none or cannot say it. */
  static String textOf(Throwable cause) {
    String text = null;
    try {
      text = cause.getMessage();
    } catch (Throwable unsaid) {
      // It is somebody's own, and his code may be what is broken.
    }
    return text == null ? cause.getClass().getSimpleName() : text;
  }

  /** Why it ended. */
  public Reason reason() {
    return reason;
  }

  /** The decode side's number of the request. */
  public long requestId() {
    return requestId;
  }

  /** The engine at the other end; null after deserialisation. */
  public @Nullable Peer peer() {
    return peer;
  }
}
