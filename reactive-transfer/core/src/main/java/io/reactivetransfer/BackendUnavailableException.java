package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * The backend that was asked for does not exist, cannot run here, or could not open its NIC. The
 * text says why, what is available instead, and how to mend it.
 *
 * <p>What to do about it: docs/troubleshooting.md, section BackendUnavailableException.
 */
public final class BackendUnavailableException extends TransferException {

  private static final long serialVersionUID = 1L;

  /** Nothing but the text is known. */
  public BackendUnavailableException(String message) {
    this(message, Origin.UNKNOWN, null);
  }

  /** With the place, and the cause if there is one. */
  public BackendUnavailableException(String message, Origin origin, @Nullable Throwable cause) {
    super(message, origin, cause);
  }
}
