package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.control.Tls;
import io.reactivetransfer.tcp.TcpBackend;
import java.nio.file.Path;

/** The lines of docs/security.md, so that they are compiled. */
abstract class SecuritySnippets {

  TcpBackend encrypted() {
    TcpBackend backend =
        TcpBackend.builder()
            .host("10.0.0.7")
            .secret(ClusterSecret.ofFile(Path.of("/etc/transfer/secret")))
            .tls(Tls.mutual(Path.of("node.pem"), Path.of("node.key"), Path.of("cluster-ca.pem")))
            .build();
    return backend;
  }
}
