package io.reactivetransfer.weights;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Names that go into tables and descriptions, and from there into the errors and logs of others.
 */
final class Names {

  /** Their length is told in one byte. */
  static final int MAX_BYTES = 255;

  private Names() {}

  /**
   * Refuses what no message can carry, and what would move the cursor of who reads a log.
   *
   * @param what whose name it is, for the error
   * @return the name
   */
  static String require(String what, String name) {
    Objects.requireNonNull(name, what);
    int bytes = utf8(what, name).remaining();
    if (bytes < 1 || bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected 1 to "
              + MAX_BYTES
              + " bytes of UTF-8 as the name of a "
              + what
              + ", got "
              + bytes);
    }
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      if (!isShown(name.codePointAt(i))) {
        throw new IllegalArgumentException(
            "expected characters that can be shown in the name of a "
                + what
                + ", got U+%04X at position %d".formatted(name.codePointAt(i), i));
      }
    }
    return name;
  }

  /** The bytes of a name that was checked. */
  static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private static ByteBuffer utf8(String what, String name) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "expected the name of a " + what + " to be text, got half of a character in it", e);
    }
  }

  private static boolean isShown(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
