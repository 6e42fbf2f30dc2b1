package io.reactivetransfer.spi;

/**
 * A backend could not open a NIC or register memory. The engine turns it into an error of its API.
 *
 * <p>What to do about it: docs/troubleshooting.md, section BackendException.
 */
public final class BackendException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * With what happened.
   *
   * @param code the backend's code, such as an errno, or 0
   * @param text what was tried, what came, and what to do
   */
  public BackendException(int code, String text) {
    super(text);
    this.code = code;
  }

  /** With what happened, and the cause. */
  public BackendException(int code, String text, Throwable cause) {
    super(text, cause);
    this.code = code;
  }

  /** The backend's code, such as an errno, or 0. */
  public int code() {
    return code;
  }
}
