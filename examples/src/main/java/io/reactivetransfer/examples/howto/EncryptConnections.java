package io.reactivetransfer.examples.howto;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.control.Tls;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import reactor.core.publisher.Mono;

/** TLS with certificates on both sides, and a cluster secret that a stranger does not know. */
public final class EncryptConnections {

  // Arguments: files of the secret, of certificate and key for 127.0.0.1, of who is trusted.
  public static void main(String[] args) {
    ClusterSecret secret = ClusterSecret.ofFile(Path.of(args[0]));
    Tls tls = Tls.mutual(Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
    TransferEngine one = open(tls, secret);
    TransferEngine other = open(tls, secret);

    ByteBuffer message = StandardCharsets.UTF_8.encode("for members only");
    one.send(one.peer(other.address()), message).block();
    ByteBuffer received = other.messages().next().block().bytes();
    System.out.println("Received: " + StandardCharsets.UTF_8.decode(received));

    // Even with a certificate of the cluster.
    TransferEngine stranger = open(tls, ClusterSecret.of(new byte[ClusterSecret.MIN_BYTES]));
    try {
      stranger.peer(other.address().control()).block();
      throw new IllegalStateException("expected a stranger to be refused, got a session");
    } catch (PeerUnreachableException e) {
      System.out.println("A stranger was refused.");
    }
    Mono.whenDelayError(stranger.close(), one.close(), other.close()).block();
  }

  private static TransferEngine open(Tls tls, ClusterSecret secret) {
    TcpBackend backend = TcpBackend.builder().host("127.0.0.1").secret(secret).tls(tls).build();
    return TransferEngineBuilder.create().backend(backend).open().block();
  }
}
