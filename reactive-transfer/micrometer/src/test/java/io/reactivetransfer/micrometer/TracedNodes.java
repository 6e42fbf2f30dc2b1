package io.reactivetransfer.micrometer;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvCacheOptions;
import java.time.Duration;

/** What programs with tracers of their own have in common. */
final class TracedNodes {

  static final Duration PATIENCE = Duration.ofSeconds(120);

  private TracedNodes() {}

  /** An engine over sockets; who waits for it on a machine that does a lot else, is not lost. */
  static TransferEngine open() {
    EngineOptions options =
        EngineOptions.builder().livenessDeadline(Duration.ofSeconds(30)).build();
    return TransferEngineBuilder.create().backend("tcp").options(options).open().block(PATIENCE);
  }

  static KvCacheOptions options(TracedProcess process) {
    return KvCacheOptions.builder().recorder(process.caches).build();
  }
}
