package io.reactivetransfer.tck;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.NicWaits;
import reactor.core.publisher.Mono;

/**
 * Where the kit's own tests put a defect, to prove that a rule can fail. Package-private, so that
 * the test class of a backend cannot reach it: a wrapper put here could mend an engine as well as
 * break it.
 */
interface Sabotage {

  /** No defect. */
  Sabotage NONE = new Sabotage() {};

  /** Between the engine and the {@link Valve}: what the engine does with its NICs. */
  default Backend beneathEngine(Backend backend) {
    return backend;
  }

  /** The options that an engine is built with. */
  default EngineOptions options(EngineOptions options) {
    return options;
  }

  /** What it finds on its machine. */
  default EngineEnvironment environment(EngineEnvironment environment) {
    return environment;
  }

  /** The engine, as the rules see it. */
  default TransferEngine engine(TransferEngine engine) {
    return engine;
  }

  /** Opens an engine on the backend of this name. */
  default Mono<TransferEngine> openByName(String backend) {
    return Mono.defer(() -> TransferEngineBuilder.create().backend(backend).open());
  }

  /** What the descriptors of NICs are waited for with. */
  default NicWaits waits() {
    return EngineEnvironment.system().waits();
  }
}
