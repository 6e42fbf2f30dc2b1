package io.reactivetransfer.tck;

import java.util.Locale;
import java.util.Objects;
import org.opentest4j.AssertionFailedError;

/**
 * What a rule that is broken says first: its name, what was expected and what came, in one line
 * that fits into a summary. All that the failure itself has to say follows as its cause.
 */
final class FailureText {

  /** Of the first line. */
  static final int MAX_LENGTH = 300;

  private static final String CUT = " ...";

  private FailureText() {}

  /** The failure of this rule. */
  static AssertionError of(String rule, Throwable failure) {
    String line = rule + ": " + oneLine(failure);
    if (line.length() > MAX_LENGTH) {
      line = line.substring(0, MAX_LENGTH - CUT.length()) + CUT;
    }
    AssertionError told =
        failure instanceof AssertionFailedError compared && compared.isExpectedDefined()
            ? new AssertionFailedError(line, compared.getExpected(), compared.getActual(), failure)
            : new AssertionError(line, failure);
    told.setStackTrace(failure.getStackTrace());
    return told;
  }

  private static String oneLine(Throwable failure) {
    String text = Objects.requireNonNullElse(failure.getMessage(), "").strip();
    if (!(failure instanceof AssertionError)) {
      return "expected no exception, got " + flat(failure.toString());
    }
    if (text.isEmpty()) {
      return "expected it to hold, and it does not; where, is below";
    }
    String flat = flat(text);
    return flat.toLowerCase(Locale.ROOT).contains("expect") ? flat : "expected otherwise: " + flat;
  }

  private static String flat(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
