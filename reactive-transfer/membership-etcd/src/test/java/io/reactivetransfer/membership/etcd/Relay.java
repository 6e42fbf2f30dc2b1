package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A way to an etcd that can be cut, where connections end, and new ones end at once; and on which
 * bytes can be held, as in a network that is partitioned: connections stay, new ones are taken, and
 * neither bytes nor ends pass until it heals, when those that were held do.
 */
final class Relay implements AutoCloseable {

  /** Where bytes go. */
  enum To {
    ETCD,
    CLIENT
  }

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final int port;
  private volatile boolean isCut;

  /** How many connections have ended at once because it was cut. */
  final AtomicInteger refused = new AtomicInteger();

  private final AtomicLong refusedNanos = new AtomicLong();

  /** The longest time from one of those to the next. */
  final AtomicLong longestPauseNanos = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition released = lock.newCondition();
  private final Set<To> held = EnumSet.noneOf(To.class);

  /**
   * One to an etcd on this machine.
   *
   * @param port of the etcd
   */
  Relay(int port) throws IOException {
    this.port = port;
    Thread.ofVirtual().start(this::accept);
  }

  /** A client that goes this way. */
  ClientBuilder builder() {
    return Client.builder().endpoints("http://127.0.0.1:" + server.getLocalPort());
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (isCut) {
          refuse();
          client.close();
        } else {
          open(client);
        }
      } catch (IOException e) {
        // the server has closed, or etcd has: whoever connects sees the end of his connection
      }
    }
  }

  private void refuse() {
    long now = System.nanoTime();
    long before = refusedNanos.getAndSet(now);
    if (refused.getAndIncrement() > 0) {
      longestPauseNanos.accumulateAndGet(now - before, Math::max);
    }
  }

  private void open(Socket client) throws IOException {
    try {
      Socket etcd = new Socket(InetAddress.getLoopbackAddress(), port);
      Connection connection = new Connection(client, etcd);
      connections.add(connection);
      connection.pump(client, etcd, To.ETCD);
      connection.pump(etcd, client, To.CLIENT);
      if (isCut) { // just now
        connection.close();
      }
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /** Ends all connections, and from now on new ones at once. */
  void cut() throws IOException {
    isCut = true;
    for (Connection each : connections) {
      each.close();
    }
  }

  /** New connections are possible again. */
  void mend() {
    isCut = false;
  }

  /** From now on no byte passes. */
  void partition() {
    hold(To.ETCD);
    hold(To.CLIENT);
  }

  /** From now on no byte passes that goes there. */
  void hold(To to) {
    locked(() -> held.add(to));
  }

  /** What was held passes, and what comes. */
  void heal() {
    locked(held::clear);
  }

  /**
   * As a firewall that has lost what it knew and drops what it does not know: of the connections
   * that there are no byte passes any more, and nobody is told; new ones are well.
   */
  void forget() {
    locked(() -> connections.forEach(each -> each.isForgotten = true));
    heal();
  }

  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
    heal();
  }

  private final class Connection {
    private final Socket client;
    private final Socket etcd;
    private boolean isForgotten;

    Connection(Socket client, Socket etcd) {
      this.client = client;
      this.etcd = etcd;
    }

    void pump(Socket from, Socket there, To to) {
      Thread.ofVirtual()
          .start(() -> {
            byte[] bytes = new byte[8_192];
            try (from;
                there) {
              for (int n = 0; n >= 0; ) {
                there.getOutputStream().write(bytes, 0, n);
                n = from.getInputStream().read(bytes);
                awaitPassage(to);
              }
            } catch (IOException e) {
              // it was cut
            }
            connections.remove(this);
          });
    }

    /** For bytes as for an end. */
    private void awaitPassage(To to) {
      lock.lock();
      try {
        while (!client.isClosed() && (isForgotten || held.contains(to))) {
          released.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
    }

    void close() throws IOException {
      client.close();
      etcd.close();
      locked(() -> {}); // whoever waits looks again
    }
  }
}
