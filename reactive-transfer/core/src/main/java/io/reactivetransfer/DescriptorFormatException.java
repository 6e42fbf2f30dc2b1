package io.reactivetransfer;

/**
 * Bytes that should be a {@link RegionDescriptor} or a {@link PeerAddress} are not: truncated, of
 * another version, damaged, or something else altogether. The text says what was expected and what
 * came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section DescriptorFormatException.
 */
public final class DescriptorFormatException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** With the text. */
  public DescriptorFormatException(String message) {
    super(message);
  }
}
