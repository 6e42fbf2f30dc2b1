package io.reactivetransfer.libfabric;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.OpenContext;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** The library of this machine; a test that needs it is skipped, visibly, where there is none. */
final class InstalledLibrary {

  private InstalledLibrary() {}

  /** Settings with which a provider is found here. */
  static LibfabricSettings with(String provider) {
    Availability availability =
        LibfabricBackend.builder().provider(provider).build().availability();
    if (availability instanceof Availability.Unavailable) {
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        Assertions.fail(availability.toString());
      }
      Assumptions.abort(availability.toString());
    }
    String library = System.getProperty("reactivetransfer.libfabric.library", "libfabric.so.1");
    return new LibfabricSettings(library, Optional.of(provider), "127.0.0.1", 1);
  }

  /** What an engine would open a NIC with. */
  static OpenContext context(long engine, Duration connectTimeout) {
    return OpenContext.builder(new EngineId(engine, engine), 0, () -> {})
        .nicDepth(64)
        .connectTimeout(connectTimeout)
        .build();
  }
}
