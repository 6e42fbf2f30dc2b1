package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.libfabric.LibfabricBackend;
import java.nio.file.Path;

/** The lines of docs/backends/libfabric.md, so that they are compiled. */
abstract class LibfabricSnippets {

  TransferEngine byName() {
    TransferEngine engine = TransferEngineBuilder.create().backend("libfabric").open().block();
    return engine;
  }

  TransferEngine withSettings() {
    LibfabricBackend backend =
        LibfabricBackend.builder()
            .provider("tcp")
            .host("10.0.0.7")
            .port(7400)
            .secret(ClusterSecret.ofFile(Path.of("/etc/cluster.secret")))
            .build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    return engine;
  }
}
