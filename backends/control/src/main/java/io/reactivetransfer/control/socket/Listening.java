package io.reactivetransfer.control.socket;

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
import java.util.function.Consumer;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/** Has a socket listen. */
public final class Listening {

  private Listening() {}

  /**
   * Begins to listen.
   *
   * @param local where
   * @param taken is given each connection that is made, on the loop
   * @return what ends it, at once when that is done on the loop; or a {@link BackendException} that
   *     says what to do
   */
  public static CompletionStage<DisposableServer> at(
      TcpServer server, InetSocketAddress local, Consumer<SocketChannel> taken) {
    CompletableFuture<DisposableServer> listening = new CompletableFuture<>();
    var _ =
        server
            .bindAddress(() -> local)
            .doOnChannelInit((_, channel, _) -> taken.accept((SocketChannel) channel))
            .bind()
            .subscribe(
                listening::complete,
                cause -> listening.completeExceptionally(cannotListen(local, cause)));
    return listening;
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
                + " is, and have others told the one by which they reach it, if that is another";
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
