package io.reactivetransfer.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import javax.net.ServerSocketFactory;

/** Makes server sockets of some factory on one port, whatever is asked for. */
final class OnPort extends ServerSocketFactory {

  private final ServerSocketFactory factory;
  private final int port;

  OnPort(ServerSocketFactory factory, int port) {
    this.factory = factory;
    this.port = port;
  }

  @Override
  public ServerSocket createServerSocket(int ignored) throws IOException {
    return factory.createServerSocket(port);
  }

  @Override
  public ServerSocket createServerSocket(int ignored, int backlog) throws IOException {
    return factory.createServerSocket(port, backlog);
  }

  @Override
  public ServerSocket createServerSocket(int ignored, int backlog, InetAddress address)
      throws IOException {
    return factory.createServerSocket(port, backlog, address);
  }
}
