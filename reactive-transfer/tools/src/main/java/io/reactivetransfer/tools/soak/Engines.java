package io.reactivetransfer.tools.soak;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.time.Duration;
import java.util.Objects;

/** Opens the engines of a soak. */
final class Engines {

  /** Small enough that even short pages are cut when there are several NICs. */
  private static final long MIN_PIECE_BYTES = 1_024;

  private static final Duration SETUP = Duration.ofSeconds(30);

  private Engines() {}

  static TransferEngine open(Plan plan, int nics) {
    EngineOptions options =
        EngineOptions.builder()
            .nics(nics)
            .minPieceBytes(MIN_PIECE_BYTES)
            .closeTimeout(plan.limit())
            .build();
    return Objects.requireNonNull(
        TransferEngineBuilder.create()
            .backend(plan.backend())
            .options(options)
            .open()
            .block(SETUP));
  }
}
