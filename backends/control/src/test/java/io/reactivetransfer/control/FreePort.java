package io.reactivetransfer.control;

import io.reactivetransfer.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port that was free a moment ago. */
final class FreePort {

  private FreePort() {}

  static HostPort onLoopback() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new HostPort("127.0.0.1", socket.getLocalPort());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
