package io.reactivetransfer.control;

/** Why no connection came about, in words for those who look for the cause. */
public final class ConnectFailure {

  private ConnectFailure() {}

  /**
   * The explanation.
   *
   * @param where to whom the connection was to be
   */
  public static String text(String where, Throwable cause) {
    // Netty puts the address behind the message of another exception, and where a network cannot be
    // reached, that has none: only its kind says what it is.
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    String what = root.getMessage() == null ? root.getClass().getSimpleName() : cause.getMessage();
    return "cannot connect to " + where + ": " + what + "; does it run there?";
  }
}
