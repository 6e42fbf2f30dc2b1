package io.reactivetransfer.weights.safetensors;

/**
 * A file is not in the safetensors format, or lies about what it holds. The text names the file,
 * the tensor where there is one, what was expected and what came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section SafetensorsFormatException.
 */
public final class SafetensorsFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  SafetensorsFormatException(String message) {
    super(message);
  }
}
