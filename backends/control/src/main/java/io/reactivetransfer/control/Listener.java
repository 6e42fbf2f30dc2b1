package io.reactivetransfer.control;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.Listening;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import reactor.netty.DisposableServer;

/**
 * The listening socket of an engine; each connection that is made to it is {@link Accepted}.
 *
 * @param address under which others reach it
 */
record Listener(DisposableServer server, HostPort address) {

  /**
   * Begins to listen.
   *
   * @param local where
   * @param advertised makes what others are told, of the port that is listened on
   */
  static CompletionStage<Listener> listen(
      Sessions sessions, InetSocketAddress local, IntFunction<HostPort> advertised) {
    return Listening.at(
            sessions.loop().server(), local, channel -> new Accepted(sessions).takeOver(channel))
        .thenApply(server -> {
          HostPort address = advertised.apply(server.port());
          sessions.listensAt(address);
          server.onDispose(sessions::listensNoMore);
          return new Listener(server, address);
        });
  }

  /** Stops at once when called on the loop. */
  void close() {
    server.dispose();
  }
}
