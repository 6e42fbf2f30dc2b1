package io.reactivetransfer.weights.internal;

/**
 * Bytes that should be a message of this protocol are not: truncated, damaged, of another version,
 * or something else altogether. The text says what was expected and what came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section MessageFormatException.
 */
public final class MessageFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** Whether it is a whole message of another version of the protocol. */
  public final boolean isOtherVersion;

  /** With what was expected, and what came. */
  public MessageFormatException(String message, boolean isOtherVersion) {
    super(message);
    this.isOtherVersion = isOtherVersion;
  }
}
