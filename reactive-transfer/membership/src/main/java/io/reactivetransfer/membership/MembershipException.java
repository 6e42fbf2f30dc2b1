package io.reactivetransfer.membership;

import org.jspecify.annotations.Nullable;

/**
 * A membership cannot go on; its message says why, and what to do about it.
 *
 * <p>What to do about it: docs/troubleshooting.md, section MembershipException.
 */
public final class MembershipException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** With a cause. */
  public MembershipException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Without a cause. */
  public MembershipException(String message) {
    this(message, null);
  }
}
