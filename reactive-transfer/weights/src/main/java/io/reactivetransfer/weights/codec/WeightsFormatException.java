package io.reactivetransfer.weights.codec;

/**
 * Bytes that should be a table or a description are not: truncated, of another version, damaged, or
 * something else altogether. The text says what was expected and what came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section WeightsFormatException.
 */
public final class WeightsFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  WeightsFormatException(String message) {
    super(message);
  }
}
