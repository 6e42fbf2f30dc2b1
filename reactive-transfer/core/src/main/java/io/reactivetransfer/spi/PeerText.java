package io.reactivetransfer.spi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Text that came from another engine, and may hold anything: made fit for an error text, a log or a
 * terminal. What starts a line, steers a terminal, turns the direction of what follows, or cannot
 * be seen at all, is replaced by {@code ?}.
 */
public final class PeerText {

  /** The most of it that is kept. */
  public static final int MAX_CHARS = 200;

  private static final int MAX_UTF_8_BYTES_PER_CHAR = 3;

  private PeerText() {}

  /**
   * At most {@link #MAX_CHARS} of it.
   *
   * @param utf8 as it came, of any length; its position stays
   */
  public static String of(ByteBuffer utf8) {
    int most = (MAX_CHARS + 1) * MAX_UTF_8_BYTES_PER_CHAR; // so that none that is kept is cut
    ByteBuffer first = utf8.slice().limit(Math.min(utf8.remaining(), most));
    String text = StandardCharsets.UTF_8.decode(first).toString();
    if (text.length() <= MAX_CHARS) {
      return printable(text);
    }
    boolean cutsPair = Character.isHighSurrogate(text.charAt(MAX_CHARS - 1));
    return printable(text.substring(0, cutsPair ? MAX_CHARS - 1 : MAX_CHARS));
  }

  /** All of it: for what is bounded elsewhere. */
  public static String printable(String text) {
    return text.codePoints()
        .map(codePoint -> isPrintable(codePoint) ? codePoint : '?')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
