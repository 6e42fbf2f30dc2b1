package io.reactivetransfer.weights.internal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Names and texts that go into the errors and logs of others. */
public final class MessageText {

  /** The length of a name is told in one byte. */
  public static final int MAX_NAME_BYTES = 255;

  /** Of a text for people; what is longer is cut. */
  public static final int MAX_TEXT_BYTES = 1_000;

  private MessageText() {}

  /** The same as {@link #requireName(String, String)}, of a rank. */
  public static String requireName(String name) {
    return requireName("rank", name);
  }

  /**
   * Refuses what no message can carry, and what would move the cursor of who reads a log.
   *
   * @param what whose name it is, for the error
   */
  public static String requireName(String what, String name) {
    Objects.requireNonNull(name, "name");
    int bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "expected the name of a " + what + " to be text, got half of a character in it", e);
    }
    if (bytes < 1 || bytes > MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "expected 1 to "
              + MAX_NAME_BYTES
              + " bytes of UTF-8 as the name of a "
              + what
              + ", got "
              + bytes);
    }
    if (!printable(name).equals(name)) {
      throw new IllegalArgumentException(
          "expected characters that can be shown in the name of a "
              + what
              + ", got \""
              + printable(name)
              + "\", where others are replaced by ?");
    }
    return name;
  }

  /** The text, with a question mark for all that has no glyph, such as an escape. */
  public static String printable(String text) {
    return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
  }

  /** As much of a text as a message carries, in whole characters. */
  public static byte[] cut(String text) {
    byte[] bytes = printable(text).getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_TEXT_BYTES) {
      return bytes;
    }
    int end = MAX_TEXT_BYTES;
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return java.util.Arrays.copyOf(bytes, end);
  }

  /** Reads text strictly. */
  public static String decode(ByteBuffer utf8) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
  }
}
