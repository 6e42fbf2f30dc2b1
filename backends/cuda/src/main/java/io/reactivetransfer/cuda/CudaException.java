package io.reactivetransfer.cuda;

/**
 * The driver of a GPU refused something. If a kernel or a copy has broken the context, each later
 * call for that GPU fails with the same code until the process ends. What fails a transfer is a
 * {@link io.reactivetransfer.TransferException}, whose text has the driver's name of the error.
 *
 * <p>What to do about it: docs/troubleshooting.md, section CudaException.
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
