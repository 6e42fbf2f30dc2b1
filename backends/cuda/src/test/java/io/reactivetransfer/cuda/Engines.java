package io.reactivetransfer.cuda;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.tck.Profile;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Engines over a backend of this name. A test over libfabric is skipped, visibly, where that is not
 * installed, or fails where {@link Profile#REQUIRE_ALL} is set.
 */
final class Engines {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Engines() {}

  static TransferEngine over(String backend) {
    if (backend.equals("libfabric")
        && new LibfabricBackend().availability()
            instanceof Availability.Unavailable(String reason, String remedy)) {
      String text = reason + "; " + remedy;
      if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
        Assertions.fail(text);
      }
      Assumptions.abort(text);
    }
    return Objects.requireNonNull(
        TransferEngineBuilder.create().backend(backend).open().block(PATIENCE));
  }
}
