package io.reactivetransfer.weights.check;

/**
 * The bytes of an update are not those that trainers have written, or that cannot be known. Says
 * which tensor, which trainer, and which inference rank.
 *
 * <p>What to do about it: docs/troubleshooting.md, section ChecksumException.
 */
public final class ChecksumException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ChecksumException(String message) {
    super(message);
  }
}
