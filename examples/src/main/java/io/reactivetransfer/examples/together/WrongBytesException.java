package io.reactivetransfer.examples.together;

/** Something else came than was sent: worse than anything that fails. */
final class WrongBytesException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  WrongBytesException(String message) {
    super(message);
  }
}
