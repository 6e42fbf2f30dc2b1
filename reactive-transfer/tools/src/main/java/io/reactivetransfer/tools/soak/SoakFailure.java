package io.reactivetransfer.tools.soak;

import org.jspecify.annotations.Nullable;

/** A promise was broken: the text says what was expected, what came, and where. */
final class SoakFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  SoakFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** What was expected and what came instead, at this place. */
  static SoakFailure at(Object place, String expected, String came, @Nullable Throwable cause) {
    return new SoakFailure("expected " + expected + ", got " + came + "; " + place, cause);
  }
}
