package io.reactivetransfer.cuda;

/**
 * The driver of a GPU refused something. What failed with a context that is broken fails so again,
 * until the process ends: the driver keeps such errors.
 */
public final class CudaException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * With what happened.
   *
   * @param code the driver's {@code CUresult}, or 0 if it was not asked
   * @param text what was tried, what came, and what to do
   */
  CudaException(int code, String text) {
    super(text);
    this.code = code;
  }

  /** The driver's {@code CUresult}, or 0 if it was not asked. */
  public int code() {
    return code;
  }
}
