package io.reactivetransfer.spi;

/**
 * A backend could not open a NIC or register memory. The engine turns it into an error of its API.
 *
 * <p>What to do about it: docs/troubleshooting.md, section BackendException.
 */
public final class BackendException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int code;
  private final boolean isOver;

  /**
   * With what happened.
   *
   * @param code the backend's code, such as an errno, or 0
   * @param text what was tried, what came, and what to do
   */
  public BackendException(int code, String text) {
    super(text);
    this.code = code;
    this.isOver = true;
  }

  /** With what happened, and the cause. */
  public BackendException(int code, String text, Throwable cause) {
    this(code, text, cause, true);
  }

  private BackendException(int code, String text, Throwable cause, boolean isOver) {
    super(text, cause);
    this.code = code;
    this.isOver = isOver;
  }

  /** Of a copy that has failed, and of which its device does not say whether it is over. */
  public static BackendException ofUnknownEnd(int code, String text, Throwable cause) {
    return new BackendException(code, text, cause, false);
  }

  /** The backend's code, such as an errno, or 0. */
  public int code() {
    return code;
  }

  /**
   * Whether what has failed is over, for all that is known, as it is unless this says otherwise. If
   * it is not, a device may still read or write its memory of that copy, at any time.
   */
  public boolean isOver() {
    return isOver;
  }
}
