package io.reactivetransfer.examples.jlama;

import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tools.Backends;
import org.jspecify.annotations.Nullable;

/** Skips a test where Jlama does not run, unless no test may be skipped. */
public final class Requires {

  private Requires() {}

  /** A machine that Jlama runs on, see {@link Platform}. */
  public static void jlama() {
    skipIf(Platform.objection());
  }

  /** A backend that can run here. */
  static void backend(String name) {
    try {
      Backends.requireAvailable(name, 1);
    } catch (BackendUnavailableException e) {
      skipIf(e.getMessage());
    }
  }

  private static void skipIf(@Nullable String objection) {
    if (objection != null) {
      if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
        throw new AssertionError(objection);
      }
      abort(objection);
    }
  }
}
