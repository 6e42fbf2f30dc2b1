package io.reactivetransfer.control.socket;

/**
 * The other side sent something that is not of the protocol; its connection cannot go on.
 *
 * <p>What to do about it: docs/troubleshooting.md, section ProtocolException.
 */
public final class ProtocolException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** Of {@link ErrorCode#PROTOCOL}. */
  public ProtocolException(String text) {
    this(ErrorCode.PROTOCOL, text);
  }

  /** What was expected, and what came. */
  public ProtocolException(ErrorCode code, String text) {
    // No stack trace: a hostile peer must not make us fill one in for each of its connections.
    super(text, null, false, false);
    this.code = code;
  }

  /** What kind of fault it is. */
  public ErrorCode code() {
    return code;
  }

  /** As the other side is told it. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
