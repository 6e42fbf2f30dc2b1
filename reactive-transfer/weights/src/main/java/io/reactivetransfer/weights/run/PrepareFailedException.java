package io.reactivetransfer.weights.run;

/**
 * A step could not be loaded or prepared; the cause says why. Nothing of its run goes on.
 *
 * <p>What to do about it: docs/troubleshooting.md, section PrepareFailedException.
 */
public final class PrepareFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  PrepareFailedException(String rank, String tensor, Throwable cause) {
    super("tensor " + tensor + " could not be prepared by " + rank + ": " + cause, cause);
  }
}
