package io.reactivetransfer.tck;

import io.reactivetransfer.tck.process.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The network between two processes, as far as it is TCP: passes on what comes to a port of one
 * address to the same port of another, and can be cut without a word to either side.
 */
final class Cut implements AutoCloseable {

  /** Little, so that who is not read soon notices. */
  private static final int BUFFER_BYTES = 128 * 1024;

  private static final int ATTEMPTS = 20;

  private final ServerSocket server = new ServerSocket();
  private final InetSocketAddress to;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private boolean isCut;

  /** So many in a row, at ports of which nobody else makes use. */
  static List<Cut> inARow(String from, String to, int count) throws IOException {
    for (int attempt = 1; ; attempt++) {
      int first = FreePorts.inARow(count);
      List<Cut> made = new ArrayList<>();
      try {
        for (int port = first; port < first + count; port++) {
          made.add(new Cut(from, to, port));
        }
        return made;
      } catch (BindException e) { // somebody came first
        made.forEach(Cut::close);
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Cut(String from, String to, int port) throws IOException {
    this.to = new InetSocketAddress(to, port);
    server.setReceiveBufferSize(BUFFER_BYTES);
    try {
      server.bind(new InetSocketAddress(from, port));
    } catch (IOException e) {
      server.close();
      throw e;
    }
    daemon(this::accept);
  }

  int port() {
    return to.getPort();
  }

  /** Nothing goes through from now on; or all of it again, what came meanwhile first. */
  synchronized void set(boolean cut) {
    isCut = cut;
    notifyAll();
  }

  private synchronized void pass() throws IOException {
    while (isCut) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void daemon(Work work) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            work.run();
          } catch (IOException e) {
            // one of the two has closed, or the test is over
          }
        });
  }

  private void accept() throws IOException {
    while (true) {
      Socket origin = server.accept();
      sockets.add(origin);
      daemon(() -> connect(origin));
    }
  }

  private void connect(Socket origin) throws IOException {
    Socket target = new Socket();
    sockets.add(target);
    try (origin;
        target) {
      pass();
      target.setReceiveBufferSize(BUFFER_BYTES);
      target.connect(to);
      daemon(() -> copy(target, origin));
      copy(origin, target);
    }
  }

  private void copy(Socket from, Socket into) throws IOException {
    byte[] bytes = new byte[BUFFER_BYTES];
    try (from;
        into) {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      int count;
      while ((count = in.read(bytes)) >= 0) {
        pass();
        out.write(bytes, 0, count);
      }
    }
  }

  @Override
  public void close() {
    set(false);
    try (server) {
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
