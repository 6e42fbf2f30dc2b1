package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * The time given was over before the outcome was known. Nothing touches the memory any more.
 *
 * <p>What to do about it: docs/troubleshooting.md, section DeadlineExceededException.
 */
public final class DeadlineExceededException extends TransferException {

  private static final long serialVersionUID = 1L;

  /** Nothing but the text is known. */
  public DeadlineExceededException(String message) {
    this(message, Origin.UNKNOWN, null);
  }

  /** With the place, and the cause if there is one. */
  public DeadlineExceededException(String message, Origin origin, @Nullable Throwable cause) {
    super(message, origin, cause);
  }
}
