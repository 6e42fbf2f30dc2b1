package io.reactivetransfer.control;

/** The other side sent something that is not of the protocol; its connection cannot go on. */
final class ProtocolException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  ProtocolException(String text) {
    this(ErrorCode.PROTOCOL, text);
  }

  ProtocolException(ErrorCode code, String text) {
    // No stack trace: a hostile peer must not make us fill one in for each of its connections.
    super(text, null, false, false);
    this.code = code;
  }

  ErrorCode code() {
    return code;
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
