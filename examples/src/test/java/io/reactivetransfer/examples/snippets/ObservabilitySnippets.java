package io.reactivetransfer.examples.snippets;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.micrometer.EngineMeters;

/** The lines of docs/observability.md on meters, so that they are compiled. */
abstract class ObservabilitySnippets {

  TransferEngine meters(MeterRegistry registry) {
    EngineOptions options =
        EngineOptions.builder()
            .recorder(EngineMeters.of(registry).percentileHistogram().build())
            .build();
    TransferEngine engine =
        TransferEngineBuilder.create().backend("tcp").options(options).open().block();
    return engine;
  }
}
