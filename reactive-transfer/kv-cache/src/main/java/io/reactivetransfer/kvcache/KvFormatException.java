package io.reactivetransfer.kvcache;

/**
 * Bytes that should be a message of this protocol are not: truncated, of another version, damaged,
 * or something else altogether. The text says what was expected and what came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section KvFormatException.
 */
public final class KvFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  KvFormatException(String message) {
    super(message);
  }
}
