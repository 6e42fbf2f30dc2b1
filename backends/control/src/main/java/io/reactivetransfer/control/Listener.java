package io.reactivetransfer.control;

import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import reactor.netty.DisposableServer;

/** The listening socket of an engine; each connection that is made to it is {@link Accepted}. */
final class Listener {

  private final DisposableServer server;
  private final HostPort address;

  private Listener(DisposableServer server, HostPort address) {
    this.server = server;
    this.address = address;
  }

  /**
   * Begins to listen.
   *
   * @param local where
   * @param advertised makes what others are told, of the port that is listened on
   */
  static CompletionStage<Listener> listen(
      Sessions sessions, InetSocketAddress local, IntFunction<HostPort> advertised) {
    CompletableFuture<Listener> listening = new CompletableFuture<>();
    var _ =
        sessions
            .loop()
            .server()
            .bindAddress(() -> local)
            .doOnChannelInit(
                (_, channel, _) -> new Accepted(sessions).takeOver((SocketChannel) channel))
            .bind()
            .subscribe(
                server -> {
                  HostPort address = advertised.apply(server.port());
                  sessions.listensAt(address);
                  server.onDispose(sessions::listensNoMore);
                  listening.complete(new Listener(server, address));
                },
                cause -> listening.completeExceptionally(cannotListen(local, cause)));
    return listening;
  }

  HostPort address() {
    return address;
  }

  /** Stops at once when called on the loop. */
  void close() {
    server.dispose();
  }

  private static BackendException cannotListen(InetSocketAddress local, Throwable cause) {
    Throwable root = cause.getCause() == null ? cause : cause.getCause();
    String host = NetUtil.toAddressString(local.getAddress());
    String where = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + local.getPort();
    String remedy =
        isOfThisMachine(local.getAddress())
            ? "choose another port with port() of the backend's builder, or 0 for any free one"
            : host
                + " is no address of this machine: give host() of the backend's builder one that"
                + " is, and advertised() the one by which others reach it, if that is another";
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
