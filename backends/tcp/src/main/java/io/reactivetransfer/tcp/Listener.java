package io.reactivetransfer.tcp;

import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.reactivetransfer.spi.BackendException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import reactor.netty.DisposableServer;

/**
 * The listening socket of one NIC; each connection that is made to it becomes an {@link
 * InboundLink}.
 */
final class Listener {

  private final DisposableServer server;
  private final NicAddress address;

  private Listener(DisposableServer server, NicAddress address) {
    this.server = server;
    this.address = address;
  }

  /**
   * Begins to listen.
   *
   * @param local where
   * @param advertisedHost under which host others reach it
   */
  static CompletionStage<Listener> listen(
      TcpDomain domain, InetSocketAddress local, String advertisedHost) {
    CompletableFuture<Listener> listening = new CompletableFuture<>();
    var _ =
        domain
            .loop()
            .server()
            .bindAddress(() -> local)
            .doOnChannelInit(
                (_, channel, _) -> new InboundLink(domain).takeOver((SocketChannel) channel))
            .bind()
            .subscribe(
                server ->
                    listening.complete(
                        new Listener(server, new NicAddress(advertisedHost, server.port()))),
                cause -> listening.completeExceptionally(cannotListen(local, cause)));
    return listening;
  }

  NicAddress address() {
    return address;
  }

  /** Stops at once when called on the loop. */
  void close() {
    server.dispose();
  }

  private static BackendException cannotListen(InetSocketAddress local, Throwable cause) {
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    NicAddress where = new NicAddress(NetUtil.toAddressString(local.getAddress()), local.getPort());
    return new BackendException(
        ErrorCode.CONNECT.value,
        "cannot listen on "
            + where
            + ": "
            + root.getMessage()
            + "; choose another port with TcpBackend.builder().port(), or 0 for any free one",
        cause);
  }
}
