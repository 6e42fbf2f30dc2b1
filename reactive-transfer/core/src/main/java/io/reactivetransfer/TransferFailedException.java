package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * The transfer was posted and did not complete: the content of the target range is undefined. No
 * NIC touches source or target on its behalf any more. What it has counted is taken back, so it may
 * be submitted again as a whole, under the same immediate; where nobody can know what was counted,
 * that is rejected until the target has discarded, and another immediate must be taken. See "What
 * one may do after a failure, a deadline, a cancel" in chapter 8 of the specification.
 *
 * <p>What to do about it: docs/troubleshooting.md, section TransferFailedException.
 */
public final class TransferFailedException extends TransferException {

  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  /** Nothing but the text is known. */
  public TransferFailedException(String message) {
    this(message, Origin.UNKNOWN, null);
  }

  /** With the place, and the cause if there is one. */
  public TransferFailedException(String message, Origin origin, @Nullable Throwable cause) {
    this(message, origin, cause, false);
  }

  /** With the place, the cause if there is one, and whether to submit it again helps. */
  public TransferFailedException(
      String message, Origin origin, @Nullable Throwable cause, boolean retryable) {
    super(message, origin, cause);
    this.retryable = retryable;
  }

  @Override
  public boolean isRetryable() {
    return retryable;
  }
}
