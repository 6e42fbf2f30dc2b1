package io.reactivetransfer.moe;

/** What applications and other ranks say, for people: in one line, whatever is in it. */
final class Texts {

  private Texts() {}

  /**
   * The same, where nothing ends a line or controls a terminal: such characters, and halves of
   * surrogate pairs, are written as in Java's sources.
   */
  static String oneLine(String text) {
    int first = 0;
    while (first < text.length() && !isEscaped(text, first)) {
      first++;
    }
    if (first == text.length()) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
    for (int i = first; i < text.length(); i++) {
      if (isEscaped(text, i)) {
        escaped.append(escaped(text.charAt(i)));
      } else {
        escaped.append(text.charAt(i));
      }
    }
    return escaped.toString();
  }

  private static String escaped(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04x".formatted((int) c);
    };
  }

  private static boolean isEscaped(String text, int at) {
    char c = text.charAt(at);
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      case Character.SURROGATE -> isAlone(text, at);
      default -> false;
    };
  }

  private static boolean isAlone(String text, int at) {
    char c = text.charAt(at);
    return Character.isHighSurrogate(c)
        ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
        : at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
  }

  /** Whether no half of a surrogate pair is without the other, as UTF-8 needs it. */
  static boolean isValid(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i)) && isAlone(text, i)) {
        return false;
      }
    }
    return true;
  }
}
