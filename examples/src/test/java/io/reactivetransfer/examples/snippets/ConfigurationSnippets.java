package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.config.EngineConfiguration;
import java.nio.file.Path;

/** The lines of docs/configuration.md, so that they are compiled. */
abstract class ConfigurationSnippets {

  TransferEngine ofAFile() {
    TransferEngine engine =
        EngineConfiguration.load(Path.of("engine.properties")).builder().open().block();
    return engine;
  }

  TransferEngine withMore(EngineRecorder recorder) {
    EngineConfiguration configuration = EngineConfiguration.load();
    EngineOptions options = configuration.options().toBuilder().recorder(recorder).build();
    TransferEngine engine = configuration.builder().options(options).open().block();
    return engine;
  }
}
