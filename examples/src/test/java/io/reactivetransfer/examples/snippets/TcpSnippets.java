package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.nio.file.Path;

/** The lines of docs/backends/tcp.md, so that they are compiled. */
abstract class TcpSnippets {

  TransferEngine byName() {
    TransferEngine engine = TransferEngineBuilder.create().backend("tcp").open().block();
    return engine;
  }

  TransferEngine withSettings() {
    TcpBackend backend =
        TcpBackend.builder()
            .host("10.0.0.7")
            .port(4700)
            .nics(4)
            .secret(ClusterSecret.ofFile(Path.of("/etc/transfer/secret")))
            .build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    return engine;
  }
}
