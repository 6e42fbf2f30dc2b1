package io.reactivetransfer.tools.perf;

import org.jspecify.annotations.Nullable;

/**
 * One side failed or is gone; the text says which, and what it said.
 *
 * <p>What to do about it: docs/troubleshooting.md, section SideFailedException.
 */
public final class SideFailedException extends Exception {

  private static final long serialVersionUID = 1L;

  SideFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
