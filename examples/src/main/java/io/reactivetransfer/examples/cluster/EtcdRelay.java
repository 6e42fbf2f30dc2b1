package io.reactivetransfer.examples.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way of the nodes to etcd, which can be partitioned as a network can: connections stay, new
 * ones are taken, and neither bytes nor ends pass until it heals. Then those that were held do.
 */
final class EtcdRelay implements AutoCloseable {

  private static final int BUFFER_BYTES = 8_192;
  private static final int BACKLOG = 64;

  private final ServerSocket server;
  private final int etcdPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition healed = lock.newCondition();
  private boolean isPartitioned;

  private EtcdRelay(ServerSocket server, int etcdPort) {
    this.server = server;
    this.etcdPort = etcdPort;
  }

  /** One that listens on this machine only. */
  static EtcdRelay to(String endpoint) throws IOException {
    int port = URI.create(endpoint).getPort();
    ServerSocket server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    EtcdRelay relay = new EtcdRelay(server, port);
    Thread.ofVirtual().start(relay::accept);
    return relay;
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  /** From now on nothing passes. */
  void partition() {
    lock.lock();
    try {
      isPartitioned = true;
    } finally {
      lock.unlock();
    }
  }

  /** Everything passes, first what was held. */
  void heal() {
    lock.lock();
    try {
      isPartitioned = false;
      healed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitHealed() {
    lock.lock();
    try {
      while (isPartitioned) {
        healed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket node = server.accept();
        sockets.add(node);
        Thread.ofVirtual().start(() -> connect(node));
      } catch (IOException e) {
        // the relay was closed
      }
    }
  }

  private void connect(Socket node) {
    awaitHealed();
    try {
      Socket etcd = new Socket(InetAddress.getLoopbackAddress(), etcdPort);
      sockets.add(etcd);
      Thread.ofVirtual().start(() -> pump(etcd, node));
      pump(node, etcd);
    } catch (IOException e) {
      close(node); // etcd does not run, and the node sees the end of its connection
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] bytes = new byte[BUFFER_BYTES];
    try {
      for (int length = 0; length >= 0; ) {
        to.getOutputStream().write(bytes, 0, length);
        length = from.getInputStream().read(bytes);
        awaitHealed();
      }
    } catch (IOException e) {
      // a node has ended, or etcd has
    }
    close(from);
    close(to);
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // it is
    }
  }

  /** Ends all connections. */
  @Override
  public void close() throws IOException {
    server.close();
    heal();
    sockets.forEach(this::close);
  }
}
