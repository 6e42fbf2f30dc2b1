package io.reactivetransfer.tcp.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A port that leads to the same port of another address of this machine, until it is cut: then
 * nothing goes through in either direction, and neither side is told.
 */
final class Cable implements AutoCloseable {

  private static final int BUFFER_BYTES = 64 * 1024;

  private final ServerSocket server = new ServerSocket();
  private final InetSocketAddress to;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition mended = lock.newCondition();
  private boolean cut;

  private Cable(String from, String to, int port) throws IOException {
    this.to = new InetSocketAddress(to, port);
    server.bind(new InetSocketAddress(from, port));
    Thread.ofPlatform().daemon().start(this::accept);
  }

  static Cable lay(String from, String to, int port) {
    try {
      return new Cable(from, to, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void cut() {
    lock.lock();
    cut = true;
    lock.unlock();
  }

  void mend() {
    lock.lock();
    cut = false;
    mended.signalAll();
    lock.unlock();
  }

  private void awaitMended() {
    lock.lock();
    while (cut) {
      mended.awaitUninterruptibly();
    }
    lock.unlock();
  }

  private void accept() {
    try {
      while (true) {
        Socket one = server.accept();
        awaitMended();
        Socket other = new Socket(to.getAddress(), to.getPort());
        sockets.addAll(List.of(one, other));
        Thread.ofPlatform().daemon().start(() -> pump(one, other));
        Thread.ofPlatform().daemon().start(() -> pump(other, one));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void pump(Socket from, Socket into) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (from;
        into) {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      for (int length; (length = in.read(buffer)) >= 0; ) {
        awaitMended();
        out.write(buffer, 0, length);
      }
      awaitMended();
    } catch (IOException e) {
      awaitMended();
    }
  }

  @Override
  public void close() {
    mend();
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
