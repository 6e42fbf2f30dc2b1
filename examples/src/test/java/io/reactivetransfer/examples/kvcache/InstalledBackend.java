package io.reactivetransfer.examples.kvcache;

import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tools.Backends;

/** A backend that a test needs, and that a machine may not have. */
public final class InstalledBackend {

  private InstalledBackend() {}

  /** Skips the test without it; or fails it, where all are to be there. */
  public static void require(String backend) {
    try {
      Backends.requireAvailable(backend, 1);
    } catch (BackendUnavailableException e) {
      if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
        throw new AssertionError(e.getMessage(), e);
      }
      abort(e.getMessage());
    }
  }
}
