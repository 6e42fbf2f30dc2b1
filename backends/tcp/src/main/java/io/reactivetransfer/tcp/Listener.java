package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.Listening;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import reactor.netty.DisposableServer;

/**
 * The listening socket of one NIC; each connection that is made to it becomes an {@link
 * AcceptedLink}.
 *
 * @param address under which others reach it
 */
record Listener(DisposableServer server, NicAddress address) {

  /**
   * Begins to listen.
   *
   * @param local where
   * @param advertisedHost under which host others reach it
   */
  static CompletionStage<Listener> listen(
      TcpDomain domain, InetSocketAddress local, String advertisedHost) {
    return Listening.at(
            domain.loop().server(), local, channel -> new AcceptedLink(domain).takeOver(channel))
        .thenApply(server -> new Listener(server, new NicAddress(advertisedHost, server.port())));
  }

  /** Stops at once when called on the loop. */
  void close() {
    server.dispose();
  }
}
