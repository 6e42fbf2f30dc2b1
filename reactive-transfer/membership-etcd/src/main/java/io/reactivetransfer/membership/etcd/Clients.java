package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.ClientInterceptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.scheduler.Schedulers;

/**
 * The client, and another one in its place where it has no connection. gRPC waits longer after each
 * try to connect, 144 s at last, and the client has no way to say that it should try now; a new one
 * does so at once. Of a connection that is dead without a word, gRPC hears when a ping has no
 * answer.
 */
final class Clients implements Supplier<Client> {

  /** A ping goes out when nothing came for so long. It is the least that gRPC takes. */
  static final Duration PING_AFTER = Duration.ofSeconds(10);

  static final Duration PING_TIMEOUT = Duration.ofSeconds(5);

  /**
   * What is refused by an etcd that has lost its cluster goes to another one, and need not wait for
   * anything; the client doubles it with each try.
   */
  static final Duration RETRY_AFTER = Duration.ofMillis(50);

  /**
   * So that a client has time to connect, however short the time of a call is. Twice as much for
   * each one that did not: to some etcds it takes longer.
   */
  private static final Duration LEAST_AGE = Duration.ofSeconds(5);

  /**
   * Tries of gRPC come 4.9 s one after the other at most until then, and 7.9 s soon after it: with
   * a call of 5 s that may just have begun, and {@link Attempts#LONGEST}, etcd is tried every 9 s
   * at least, and a lease of 10 s does not end once etcd is back.
   */
  private static final Duration MOST_AGE = Duration.ofSeconds(10);

  /** What was called of the old client has its answer by then: a closed one would give none. */
  private static final Duration BESIDE_CALLS = Duration.ofSeconds(1);

  private final ClientBuilder builder;
  private final Duration callTimeout;
  private final Set<Client> replaced = new HashSet<>();
  private Client current;
  private long number;
  private long builtNanos;
  private Duration age = LEAST_AGE;
  private boolean isClosed;

  /**
   * Builds the first one, which connects when something is asked of it.
   *
   * @param given is not changed
   * @param callTimeout how long one answer may take
   */
  Clients(ClientBuilder given, Duration callTimeout) {
    this.builder = withDefaults(given);
    this.callTimeout = callTimeout;
    this.current = build(0);
    this.builtNanos = System.nanoTime();
  }

  /** Whoever has set a time other than that of the client keeps it. */
  static ClientBuilder withDefaults(ClientBuilder given) {
    ClientBuilder unset = Client.builder();
    ClientBuilder copy = given.copy();
    if (Objects.equals(given.keepaliveTime(), unset.keepaliveTime())) {
      copy.keepaliveTime(PING_AFTER);
    }
    if (Objects.equals(given.keepaliveTimeout(), unset.keepaliveTimeout())) {
      copy.keepaliveTimeout(PING_TIMEOUT);
    }
    if (given.retryDelay() == unset.retryDelay()
        && given.retryChronoUnit() == unset.retryChronoUnit()) {
      copy.retryDelay(RETRY_AFTER.toMillis());
    }
    if (Objects.equals(given.keepaliveWithoutCalls(), unset.keepaliveWithoutCalls())) {
      // Where there are several etcds some connections have no calls. etcd ends those that are
      // pinged all the same, and gRPC then pings all of them less often each time.
      copy.keepaliveWithoutCalls(false);
    }
    return copy;
  }

  private Client build(long built) {
    List<ClientInterceptor> interceptors = new ArrayList<>();
    if (builder.interceptors() != null) {
      interceptors.addAll(builder.interceptors());
    }
    interceptors.add(new CallDeadline(callTimeout, () -> replace(built), this::connected));
    return builder.copy().interceptors(interceptors).build();
  }

  @Override
  public synchronized Client get() {
    return current;
  }

  /** What runs with the old one ends with errors, and is tried again. */
  private synchronized void replace(long unconnected) {
    boolean isYoung = System.nanoTime() - builtNanos < age.toNanos();
    if (isClosed || isYoung || unconnected != number || builder.isUsingVertx()) {
      return; // the end of a client is that of its Vert.x, which may be the user's
    }
    Client old = current;
    replaced.add(old);
    current = build(++number);
    builtNanos = System.nanoTime();
    Duration twice = age.multipliedBy(2);
    age = twice.compareTo(MOST_AGE) < 0 ? twice : MOST_AGE;
    Schedulers.boundedElastic()
        .schedule(() -> end(old), callTimeout.plus(BESIDE_CALLS).toMillis(), TimeUnit.MILLISECONDS);
  }

  private synchronized void connected() {
    age = LEAST_AGE;
  }

  private void end(Client old) {
    try {
      old.close();
    } finally {
      synchronized (this) {
        replaced.remove(old);
      }
    }
  }

  /** Blocks for a moment. */
  void close() {
    List<Client> last = new ArrayList<>();
    synchronized (this) {
      isClosed = true;
      last.addAll(replaced);
      last.add(current);
    }
    last.forEach(Client::close);
  }
}
