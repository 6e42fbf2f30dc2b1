package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * The transfer, claim or message was never posted: no byte of any memory was touched, and nothing
 * of it will arrive. Correct the cause and submit again. Only where its text says that it was not
 * posted as a whole, since its stream was stopped, may a part of it have been written, of which
 * nothing stays counted.
 *
 * <p>What to do about it: docs/troubleshooting.md, section TransferRejectedException.
 */
public final class TransferRejectedException extends TransferException {

  private static final long serialVersionUID = 1L;

  /** Nothing but the text is known. */
  public TransferRejectedException(String message) {
    this(message, Origin.UNKNOWN, null);
  }

  /** With the place, and the cause if there is one. */
  public TransferRejectedException(String message, Origin origin, @Nullable Throwable cause) {
    super(message, origin, cause);
  }
}
