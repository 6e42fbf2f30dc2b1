package io.reactivetransfer.tcp.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One connection through a {@link Cable}: a socket to each side, and a thread in each direction.
 */
final class Line {

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Passage passage;
  private final Socket origin;
  private final Socket target;
  private final AtomicInteger running = new AtomicInteger(Direction.values().length);

  Line(Passage passage, Socket origin, Socket target) throws IOException {
    this.passage = passage;
    this.origin = origin;
    this.target = target;
    origin.setTcpNoDelay(true);
    target.setTcpNoDelay(true);
  }

  void start() {
    Thread.ofPlatform().daemon().start(() -> pump(Direction.TO_TARGET, origin, target));
    Thread.ofPlatform().daemon().start(() -> pump(Direction.TO_ORIGIN, target, origin));
  }

  private void pump(Direction direction, Socket from, Socket into) {
    try {
      forward(direction, from, into);
      shutOutput(into);
    } catch (IOException e) {
      // That side is gone: the thread of the other direction finds out, and tells the other side.
    } finally {
      if (running.decrementAndGet() == 0) {
        close(from);
        close(into);
      }
    }
  }

  /** Until nothing more comes. */
  private void forward(Direction direction, Socket from, Socket into) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = from.getInputStream();
    long position = 0;
    for (int length; (length = read(in, buffer)) >= 0; position += length) {
      passage.pass(direction, position, buffer, length, into.getOutputStream());
    }
    passage.await(direction); // the end does not pass either
  }

  private static int read(InputStream in, byte[] buffer) {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      return -1; // its process may have been killed: the same to the other side
    }
  }

  void halfClose(Direction direction) {
    shutOutput(direction == Direction.TO_TARGET ? target : origin);
  }

  void reset() {
    reset(origin);
    reset(target);
  }

  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // it is closed
    }
    close(socket);
  }

  private static void shutOutput(Socket socket) {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // it is closed
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
  }
}
