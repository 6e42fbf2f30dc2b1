package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.watch.WatchResponse;
import io.reactivetransfer.membership.MembershipException;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeChange;
import io.reactivetransfer.membership.NodeChanges;
import io.reactivetransfer.membership.NodeRegistry;
import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Nodes in etcd 3.4 or later.
 *
 * <pre>{@code
 * EtcdMembership membership =
 *     EtcdMembership.builder(Client.builder().endpoints("http://10.0.0.5:2379")).build();
 * }</pre>
 *
 * <p>Each node is a key, the prefix and the node's name, whose value has the rest in JSON, see
 * {@code docs/membership.md}. The key belongs to a lease that the process keeps. When etcd is away,
 * {@link #nodes()} says nothing, so that all nodes that were known stay; when it is there again, it
 * compares a new list with what it has said. A registration whose lease has ended meanwhile enters
 * its node again.
 *
 * <p>Signals come on {@link Builder#signalScheduler}. Whoever has built this closes it.
 */
public final class EtcdMembership implements NodeRegistry {

  private final NodeKeys keys;
  private final Duration lease;
  private final int maxNodes;
  private final Scheduler signals;
  private final EtcdCalls calls;
  private final Sinks.Empty<Void> closing = Sinks.empty();
  private final Set<Mono<Void>> leaving = ConcurrentHashMap.newKeySet();
  private final Mono<Void> close;

  private EtcdMembership(Builder builder) {
    keys = new NodeKeys(builder.prefix);
    lease = builder.lease;
    maxNodes = builder.maxNodes;
    signals = builder.signals;
    Clients clients = new Clients(builder.client, builder.callTimeout);
    calls = new EtcdCalls(clients, builder.callTimeout);
    close = Mono.defer(() -> end(clients)).cache();
  }

  /**
   * Begins with the defaults.
   *
   * @param client says where etcd is and how it is spoken to: endpoints, TLS, user and password are
   *     passed on as they are. {@code keepaliveTime} and {@code keepaliveTimeout} are 10 s and 5 s
   *     unless they are set to something else than the 30 s and 10 s of the client itself, and
   *     {@code retryDelay} is 50 ms unless it is something else than its 500 ms. The membership
   *     builds a client, and another one in its place where a call has found no connection in time,
   *     and closes them. One that uses Vert.x for connections stays, so that after a long time it
   *     may wait 144 s before it tries to connect again
   */
  public static Builder builder(ClientBuilder client) {
    return new Builder(client);
  }

  @Override
  public Flux<NodeChange> nodes() {
    return NodeChanges.of(this::follow, maxNodes, signals);
  }

  private Disposable follow(NodeSink sink) {
    Flux<WatchResponse> listAndWatch =
        NodeList.read(calls, keys, maxNodes)
            .doOnNext(list -> sink.all(list.nodes()))
            .flatMapMany(list -> changesAfter(list.revision(), sink));
    return untilClosed(Attempts.at("follow the nodes", listAndWatch))
        .subscribe(_ -> {}, sink::error);
  }

  private Flux<WatchResponse> changesAfter(long revision, NodeSink sink) {
    return calls
        .watch(keys.prefix(), true, revision + 1)
        .doOnNext(changes -> keys.tell(changes.getEvents(), sink));
  }

  /**
   * Enters a node for as long as the subscription lasts, as {@link NodeRegistry#register} says. The
   * node goes by itself when nobody has renewed its lease for {@link Builder#lease}.
   */
  @Override
  public Flux<Node> register(Node node) {
    Flux<Node> entered =
        Flux.defer(
            () -> new Registration(calls, lease, node, keys.key(node), this::leave).entered());
    return untilClosed(entered).onBackpressureLatest().publishOn(signals, 1);
  }

  /** What never completes by itself, so that its end is that of this membership. */
  private <T> Flux<T> untilClosed(Flux<T> endless) {
    return endless
        .takeUntilOther(closing.asMono()) // which is not to fail: then the source would go on
        .concatWith(Mono.error(() -> new MembershipException("this membership was closed")));
  }

  /** Known as long as it lasts, so that closing waits for it; the lease ends at last by itself. */
  private Mono<Void> leave(long granted) {
    Mono<Void> revoked = calls.revoke(granted).onErrorComplete().cache();
    leaving.add(revoked);
    return revoked.doFinally(_ -> leaving.remove(revoked));
  }

  /**
   * Takes away the nodes that were registered by this, ends all subscriptions with a {@link
   * MembershipException}, and then the client with its threads and connections. What may be left of
   * it for a while are daemon threads.
   *
   * <p>It begins when it is first subscribed to, and completes when that is done, after at most one
   * {@link Builder#callTimeout} if etcd is away. A cancel does not stop it.
   */
  public Mono<Void> close() {
    return close;
  }

  private Mono<Void> end(Clients clients) {
    closing.tryEmitEmpty();
    return Mono.when(Set.copyOf(leaving))
        .then(Mono.<Void>fromRunnable(clients::close).subscribeOn(Schedulers.boundedElastic()));
  }

  /**
   * Sets what differs from the defaults: keys below {@code /reactive-transfer/nodes/}, leases of 10
   * s, answers within 5 s, at most 10,000 nodes, signals on {@code Schedulers.parallel()}.
   */
  public static final class Builder {
    private final ClientBuilder client;
    private String prefix = "/reactive-transfer/nodes/";
    private Duration lease = Duration.ofSeconds(10);
    private Duration callTimeout = Duration.ofSeconds(5);
    private int maxNodes = 10_000;
    private Scheduler signals = Schedulers.parallel();

    private Builder(ClientBuilder client) {
      this.client = Objects.requireNonNull(client, "client");
    }

    /**
     * What the keys of all nodes begin with, before the name: 2 to 1,024 letters, of which the last
     * is a slash. Clusters that are to know nothing of each other have different ones.
     */
    public Builder prefix(String prefix) {
      if (prefix.length() < 2 || prefix.length() > 1024 || !prefix.endsWith("/")) {
        throw new IllegalArgumentException(
            "expected a prefix of 2 to 1,024 letters that ends in '/', got one of %,d letters"
                .formatted(prefix.length()));
      }
      this.prefix = prefix;
      return this;
    }

    /**
     * How long a node stays that nobody takes away, because its process was killed or etcd cannot
     * be reached: 1 s to 1 h, in whole seconds. It is renewed three times in that time. etcd itself
     * may make a short one longer, 2 s unless it was set up otherwise.
     */
    public Builder lease(Duration lease) {
      check("a lease", lease, Duration.ofSeconds(1), Duration.ofHours(1));
      if (!lease.equals(Duration.ofSeconds(lease.toSeconds()))) {
        throw new IllegalArgumentException("expected a lease of whole seconds, got " + lease);
      }
      this.lease = lease;
      return this;
    }

    /** How long one answer of etcd may take before it is asked again: 10 ms to 10 min. */
    public Builder callTimeout(Duration timeout) {
      check("an answer", timeout, Duration.ofMillis(10), Duration.ofMinutes(10));
      this.callTimeout = timeout;
      return this;
    }

    /**
     * How many nodes there may be, 1 to 1,000,000. Where there are more, {@link #nodes()} ends with
     * a {@link MembershipException}; so it does where it begins with more than 10,000 keys beside
     * them that are no nodes.
     */
    public Builder maxNodes(int maxNodes) {
      if (maxNodes < 1 || maxNodes > 1_000_000) {
        throw new IllegalArgumentException("expected 1 to 1,000,000 nodes, got " + maxNodes);
      }
      this.maxNodes = maxNodes;
      return this;
    }

    /** Where subscribers are signalled; it stays the caller's. */
    public Builder signalScheduler(Scheduler signals) {
      this.signals = Objects.requireNonNull(signals, "signals");
      return this;
    }

    private static void check(String what, Duration time, Duration min, Duration max) {
      if (time.compareTo(min) < 0 || time.compareTo(max) > 0) {
        throw new IllegalArgumentException(
            "expected %s of %s to %s, got %s".formatted(what, min, max, time));
      }
    }

    /** Builds the client, which connects when something is first subscribed to. */
    public EtcdMembership build() {
      return new EtcdMembership(this);
    }
  }
}
