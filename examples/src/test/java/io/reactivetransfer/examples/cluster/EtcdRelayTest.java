package io.reactivetransfer.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import org.junit.jupiter.api.Test;

/**
 * What passes between a node and etcd, in whose place there is somebody who repeats all he hears.
 */
class EtcdRelayTest {

  private static final int PATIENCE_MILLIS = 20_000;

  private static Socket connect(EtcdRelay relay) throws IOException {
    int port = URI.create(relay.endpoint()).getPort();
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static void repeat(ServerSocket server) {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> repeat(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private static void repeat(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException e) {
      // closed
    }
  }

  @Test
  void whatIsHeldWhileNothingPassesPassesAfterwards() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        EtcdRelay relay = EtcdRelay.to("http://127.0.0.1:" + server.getLocalPort());
        Socket before = connect(relay)) {
      Thread.ofVirtual().start(() -> repeat(server));
      before.getOutputStream().write('a');
      assertThat(before.getInputStream().read()).isEqualTo('a');
      relay.partition();
      try (Socket within = connect(relay)) {
        before.getOutputStream().write('b');
        within.getOutputStream().write('c');
        before.setSoTimeout(200);
        assertThatThrownBy(() -> before.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        before.setSoTimeout(PATIENCE_MILLIS);
        relay.heal();
        assertThat(before.getInputStream().read()).isEqualTo('b');
        assertThat(within.getInputStream().read()).isEqualTo('c');
      }
    }
  }
}
