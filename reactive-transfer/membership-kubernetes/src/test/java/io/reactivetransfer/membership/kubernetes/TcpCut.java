package io.reactivetransfer.membership.kubernetes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** A way to a server that can be cut: connections end, and new ones end at once. */
final class TcpCut implements AutoCloseable {

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final IntSupplier to;
  private volatile boolean isCut;

  /** How many connections have ended at once since it was cut. */
  final AtomicInteger refused = new AtomicInteger();

  TcpCut(IntSupplier to) throws IOException {
    this.to = to;
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket here = keep(server.accept());
        if (isCut) {
          here.close();
          refused.incrementAndGet();
        } else {
          Socket there = keep(new Socket(InetAddress.getLoopbackAddress(), to.getAsInt()));
          pump(here, there);
          pump(there, here);
        }
      } catch (IOException e) {
        // this or the other server has closed: whoever connects sees the end of his connection
      }
    }
  }

  private Socket keep(Socket socket) {
    sockets.add(socket);
    return socket;
  }

  private static void pump(Socket from, Socket to) {
    Thread.ofVirtual()
        .start(() -> {
          try (from;
              to) {
            from.getInputStream().transferTo(to.getOutputStream());
          } catch (IOException e) {
            // it was cut
          }
        });
  }

  void cut() throws IOException {
    refused.set(0);
    isCut = true;
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  void mend() {
    isCut = false;
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
