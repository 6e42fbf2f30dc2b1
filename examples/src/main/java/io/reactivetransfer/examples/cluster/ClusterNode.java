package io.reactivetransfer.examples.cluster;

import io.etcd.jetcd.Client;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.PagePool;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.etcd.EtcdMembership;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What nodes of both roles have: an engine, pages, and a place in etcd. */
final class ClusterNode implements AutoCloseable {

  static final String PREFILL = "prefill";
  static final String DECODE = "decode";
  static final String MODEL = "example";

  static final int LAYERS = 4;

  /** Pages of one request. */
  static final int REQUEST_PAGES = 4;

  /**
   * Of those that are killed, others hear from etcd after this time, and from the engine before.
   */
  static final Duration LEASE = Duration.ofSeconds(3);

  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int POOL_PAGES = 512;
  private static final int PAGE_BYTES = 4_096;
  private static final KvLayout LAYOUT = KvLayout.opaque(LAYERS, POOL_PAGES, PAGE_BYTES);

  private final String name;
  private final String role;
  private final Arena arena;
  private final MemorySegment bytes;
  private final Disposable.Swap registration = Disposables.swap();
  final TransferEngine engine;
  final KvMemory memory;
  final KvCache cache;
  final PagePool pool = PagePool.of(POOL_PAGES);
  final EtcdMembership membership;

  private ClusterNode(
      String name,
      String role,
      Arena arena,
      MemorySegment bytes,
      TransferEngine engine,
      EtcdMembership membership) {
    this.name = name;
    this.role = role;
    this.arena = arena;
    this.bytes = bytes;
    this.engine = engine;
    this.membership = membership;
    this.memory = KvMemory.of(await(engine.register(bytes)), LAYOUT);
    this.cache = KvCache.open(engine, name);
  }

  /** One that nobody can find yet. */
  @SuppressWarnings("MustBeClosed") // the node closes it
  static ClusterNode open(String name, String role, String etcd) {
    Arena arena = Arena.ofShared();
    TransferEngine engine = await(TransferEngineBuilder.create().backend("tcp").open());
    return new ClusterNode(
        name, role, arena, arena.allocate(LAYOUT.bytes(0), 64), engine, membership(etcd));
  }

  static EtcdMembership membership(String etcd) {
    return EtcdMembership.builder(Client.builder().endpoints(etcd)).lease(LEASE).build();
  }

  /** Has others find it, for as long as it lives and does not {@link #leave()}. */
  void enter() {
    Sinks.One<Node> entered = Sinks.one();
    registration.update(
        membership
            .register(Node.of(name, role, engine.address().control()))
            .subscribe(entered::tryEmitValue, failure -> outside(entered, failure)));
    await(entered.asMono());
  }

  /**
   * Whoever waits until it has entered hears of it; behind that, who reads what this process says.
   */
  private void outside(Sinks.One<Node> entered, Throwable failure) {
    if (entered.tryEmitError(failure) != Sinks.EmitResult.OK) {
      System.err.println(name + " is registered no more, and others do not find it: " + failure);
    }
  }

  /** Others forget it. */
  void leave() {
    registration.dispose();
  }

  MemorySegment page(int layer, int page) {
    return bytes.asSlice(LAYOUT.offset(layer, 0, page), PAGE_BYTES);
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  /** What runs ends first; the memory goes when no NIC can touch it any more. */
  @Override
  public void close() {
    leave();
    cache.dispose();
    cache.closed().block(PATIENCE);
    engine.close().block(PATIENCE);
    membership.close().block(PATIENCE);
    arena.close();
  }
}
