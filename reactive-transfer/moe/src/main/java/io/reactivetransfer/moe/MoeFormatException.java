package io.reactivetransfer.moe;

/** Bytes that are no message of a group; the text says what was expected and what came. */
final class MoeFormatException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MoeFormatException(String expected, String got) {
    super("not a message of experts: expected " + expected + ", got " + got);
  }
}
