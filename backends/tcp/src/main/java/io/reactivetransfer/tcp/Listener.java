package io.reactivetransfer.tcp;

import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.reactivetransfer.spi.BackendException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
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
    String host = NetUtil.toAddressString(local.getAddress());
    NicAddress where = new NicAddress(host, local.getPort());
    String remedy =
        isOfThisMachine(local.getAddress())
            ? "choose another port with TcpBackend.builder().port(), or 0 for any free one"
            : host
                + " is no address of this machine: give TcpBackend.builder().host() one that is,"
                + " and advertisedHost() if others reach it by another one";
    return new BackendException(
        ErrorCode.CONNECT.value,
        "cannot listen on " + where + ": " + root.getMessage() + "; " + remedy,
        cause);
  }

  /** All of 127.0.0.0/8 can be listened on, though an interface has only one of them. */
  private static boolean isOfThisMachine(InetAddress address) {
    if (address.isAnyLocalAddress()
        || (address instanceof Inet4Address && address.isLoopbackAddress())) {
      return true;
    }
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true; // nobody knows; what the system said is in the text
    }
  }
}
