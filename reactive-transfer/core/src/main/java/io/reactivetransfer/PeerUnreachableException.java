package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * The engine at the other end cannot be reached, or was lost. What had been posted to it has an
 * undefined outcome. Names the peer; find another, or wait for it to come back: under the same id
 * if its process goes on, or under a new one if it was started again.
 *
 * <p>What to do about it: docs/troubleshooting.md, section PeerUnreachableException.
 */
public final class PeerUnreachableException extends TransferException {

  private static final long serialVersionUID = 1L;

  /** Nothing but the text is known. */
  public PeerUnreachableException(String message) {
    this(message, Origin.UNKNOWN, null);
  }

  /** With the place, and the cause if there is one. */
  public PeerUnreachableException(String message, Origin origin, @Nullable Throwable cause) {
    super(message, origin, cause);
  }
}
