package io.reactivetransfer.control.socket;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import javax.net.ssl.SSLException;

/** What went wrong with TLS, in words for those who set it up. */
final class TlsFailure {

  private TlsFailure() {}

  /** Whether this is for TLS to explain. */
  static boolean isOne(Throwable cause) {
    return root(cause) instanceof SSLException;
  }

  /** The explanation. */
  static Failure of(Throwable cause, String where) {
    Throwable root = root(cause);
    String text =
        root instanceof NotSslRecordException
            ? where + " does not use TLS, and this engine does; set up both alike"
            : "no TLS with " + where + ": " + reason(root);
    return ErrorCode.TLS.because(text);
  }

  /** The innermost cause says most: "No subject alternative names present", for instance. */
  private static String reason(Throwable cause) {
    Throwable innermost = cause;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    return String.valueOf(innermost.getMessage());
  }

  private static Throwable root(Throwable cause) {
    return cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
  }
}
