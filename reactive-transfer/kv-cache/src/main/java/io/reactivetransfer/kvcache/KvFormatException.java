package io.reactivetransfer.kvcache;

/**
 * Bytes that should be a message of this protocol are not: truncated, of another version, damaged,
 * or something else altogether. The text says what was expected and what came.
 */
public final class KvFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  KvFormatException(String message) {
    super(message);
  }
}
