package io.reactivetransfer.control;

import io.reactivetransfer.HostPort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * Someone in the middle: takes connections under an address of its own, makes others to an engine,
 * and passes on what is said, or something else. May end TLS on both sides.
 */
final class Relay implements AutoCloseable {

  private final ServerSocket server;
  private final SocketFactory sockets;
  private final HostPort target;
  private final List<Socket> nearEnds = new CopyOnWriteArrayList<>();
  private final List<Socket> farEnds = new CopyOnWriteArrayList<>();
  private volatile boolean keepsFarEnds;

  /** What is done to each piece on its way to the target. */
  volatile UnaryOperator<byte[]> change = UnaryOperator.identity();

  Relay(HostPort target) {
    this(target, ServerSocketFactory.getDefault(), SocketFactory.getDefault());
  }

  Relay(HostPort target, ServerSocketFactory servers, SocketFactory sockets) {
    this.target = target;
    this.sockets = sockets;
    try {
      server = servers.createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  HostPort address() {
    return new HostPort("127.0.0.1", server.getLocalPort());
  }

  private void accept() {
    try {
      while (true) {
        Socket near = server.accept();
        Socket far = sockets.createSocket(target.host(), target.port());
        nearEnds.add(near);
        farEnds.add(far);
        Thread.ofVirtual().start(() -> pass(near, far, true));
        Thread.ofVirtual().start(() -> pass(far, near, false));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void pass(Socket from, Socket to, boolean toTarget) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length; (length = in.read(buffer)) >= 0; ) {
        byte[] piece = Arrays.copyOf(buffer, length);
        out.write(toTarget ? change.apply(piece) : piece);
      }
    } catch (IOException e) {
      // one of them has ended it
    }
    if (!keepsFarEnds || !toTarget) {
      cut(List.of(from, to));
    }
  }

  /** What comes to the near ends now does not end the far ones. */
  void keepFarEnds() {
    keepsFarEnds = true;
  }

  /** Cuts all that goes through it, as a network does that has lost what it knew. */
  void cut() {
    boolean keep = keepsFarEnds;
    cut(nearEnds);
    nearEnds.clear();
    if (!keep) {
      cut(farEnds);
    }
  }

  private static void cut(List<Socket> sockets) {
    for (Socket socket : sockets) {
      try {
        socket.setSoLinger(true, 0);
        socket.close();
      } catch (IOException e) {
        // it is
      }
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    cut(nearEnds);
    cut(farEnds);
  }
}
