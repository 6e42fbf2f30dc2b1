package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * A hand-over ended before all of it was there. Names the node at the other end; the content of the
 * pages is undefined. Order again, of the same prefill node or another one, or compute it here.
 *
 * <p>What to do about it: docs/troubleshooting.md, section HandOverException.
 */
public final class HandOverException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why it ended. */
  public enum Reason {
    /** The peer cannot be reached, or was lost. */
    PEER_LOST,
    /** The time was over that decode gave, or the longest that prefill gives. */
    DEADLINE,
    /** There is time left, but at the rate at which it came so far not enough: compute it here. */
    INFEASIBLE,
    /** Prefill did not take the request; no page was touched. */
    REFUSED,
    /** The other side cancelled. */
    CANCELLED,
    /** A write failed, or the one who computes the layers did. */
    FAILED
  }

  private final Reason reason;
  private final long requestId;
  private final transient @Nullable Peer peer;

  HandOverException(Reason reason, Node with, long requestId, String text) {
    this(reason, with, requestId, text, null);
  }

  HandOverException(
      Reason reason, Node with, long requestId, String text, @Nullable Throwable cause) {
    super(
        "hand-over " + (requestId > 0 ? requestId + " " : "") + "with " + with + ": " + text,
        cause);
    this.reason = reason;
    this.requestId = requestId;
    this.peer = with.peer();
  }

  /** There was no node to ask. */
  HandOverException(Reason reason, String text) {
    super(text);
    this.reason = reason;
    this.requestId = 0;
    this.peer = null;
  }

  private HandOverException(HandOverException last, String text) {
    super(text, last);
    this.reason = last.reason;
    this.requestId = last.requestId;
    this.peer = last.peer;
  }

  /** The same, of one that was asked after so many others. */
  HandOverException afterOthers(int others) {
    return new HandOverException(
        this, getMessage() + " (" + others + (others == 1 ? " other" : " others") + " before it)");
  }

  /**
   * Who is at the other end.
   *
   * @param role what it does there
   * @param name what it calls itself, once it was heard
   */
  record Node(String role, Peer peer, @Nullable String name) {

    @Override
    public String toString() {
      String address = peer.address().toString();
      return name == null || name.equals(address)
          ? role + " " + address
          : role + " " + name + " (" + address + ")";
    }
  }

  /** Says of any failure with whom it happened. */
  static HandOverException of(Throwable cause, Node with, long requestId) {
    if (cause instanceof HandOverException already) {
      return already;
    }
    Reason reason =
        switch (cause) {
          case PeerUnreachableException e -> Reason.PEER_LOST;
          case DeadlineExceededException e -> Reason.DEADLINE;
          default -> Reason.FAILED;
        };
    return new HandOverException(reason, with, requestId, textOf(cause), cause);
  }

  /** What prefill has said, which may be nothing. */
  static String endOfPrefill(Reason reason, String text) {
    return "prefill ended it (" + reason + "): " + (text.isBlank() ? "it did not say why" : text);
  }

  /**
   * The message of an exception, or its kind if it has none or cannot say it; where Reactor has put
   * several into one, that of the first, and how many more there are.
   */
  static String textOf(Throwable cause) {
    if (Exceptions.isMultiple(cause) && cause.getSuppressed().length > 0) {
      Throwable[] all = cause.getSuppressed();
      return textOf(all[0]) + (all.length > 1 ? ", and " + (all.length - 1) + " more" : "");
    }
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

  /** The decode side's number of the request; 0 if it ended before one was sent. */
  public long requestId() {
    return requestId;
  }

  /** The engine at the other end; null if there was none to ask, and after deserialisation. */
  public @Nullable Peer peer() {
    return peer;
  }
}
