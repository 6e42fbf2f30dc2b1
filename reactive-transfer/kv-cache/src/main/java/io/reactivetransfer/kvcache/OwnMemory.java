package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Registrations of decode's memory for one prefill node alone: they are closed when it is lost, or
 * cannot say what may land yet, which no other node notices.
 *
 * <p>Also on an engine that keeps out what a lost peer has posted. A request that went out before
 * the loss may be read after it, in a process that stood still; and what that posts then comes over
 * a new connection, which nobody keeps out.
 */
final class OwnMemory {

  /** The registrations of the KV memory for one node, shared by its orders. */
  private static final class OfPeer {
    final Mono<List<MemoryRegion>> regions;
    final Mono<Void> closed;
    final Disposable.Swap watching = Disposables.swap();
    final AtomicBoolean watched = new AtomicBoolean();

    OfPeer(TransferEngine engine, List<MemoryRegion> bases) {
      List<MemoryRegion> made = new CopyOnWriteArrayList<>();
      this.regions =
          Flux.fromIterable(bases)
              .concatMap(base -> engine.register(base.memory(), Access.REMOTE_WRITE))
              .doOnNext(made::add)
              .collectList()
              .onErrorResume(
                  failure -> OwnMemory.close(made).onErrorComplete().then(Mono.error(failure)))
              .cache();
      this.closed = regions.flatMap(OwnMemory::close).cache();
    }
  }

  /** The registrations for all prefill nodes of one decode. */
  static final class OfPeers {
    private final KvCache cache;
    private final TransferEngine engine;
    private final KvMemory memory;
    private final Consumer<Peer> lost;
    private final Map<EngineId, OfPeer> peers = new ConcurrentHashMap<>();

    /**
     * For one decode.
     *
     * @param lost is told of each prefill node that was lost, whether it served an order or not
     */
    OfPeers(KvCache cache, KvMemory memory, Consumer<Peer> lost) {
      this.cache = cache;
      this.engine = cache.engine;
      this.memory = memory;
      this.lost = lost;
    }

    /** What this node is told for one order. */
    Mono<OwnMemory> of(Peer prefill, @Nullable MemorySlice tail) {
      OfPeer own = peers.computeIfAbsent(prefill.id(), id -> new OfPeer(engine, memory.regions()));
      if (own.watched.compareAndSet(false, true)) {
        own.watching.update(
            Ending.of(cache.lossOf(prefill), () -> {}, failed -> isLost(prefill, own)));
      }
      Mono<List<MemoryRegion>> tails =
          tail == null
              ? Mono.just(List.of())
              : engine.register(tail.region().memory(), Access.REMOTE_WRITE).map(List::of);
      return own.regions
          .doOnError(failed -> peers.remove(prefill.id(), own))
          .flatMap(
              regions -> tails.map(forTail -> new OwnMemory(this, prefill, own, regions, forTail)));
    }

    /** Nothing else may tell of the loss: no order need run with it. */
    private void isLost(Peer prefill, OfPeer own) {
      lost.accept(prefill);
      Ending.of(close(prefill, own), () -> {}, failed -> {});
    }

    /** Closes the registrations for a node that is lost. */
    private Mono<Void> close(Peer prefill, OfPeer own) {
      return Mono.defer(() -> {
        peers.remove(prefill.id(), own); // who comes back is told of others
        own.watching.dispose();
        return own.closed;
      });
    }

    /** Closes all; when no order needs them any more. */
    void close() {
      for (OfPeer own : List.copyOf(peers.values())) {
        own.watching.dispose();
        Ending.of(own.closed, () -> {}, failed -> {});
      }
      peers.clear();
    }
  }

  private final OfPeers owner;
  private final Peer prefill;
  private final OfPeer own;
  private final List<MemoryRegion> regions;

  /** One or none: the memory of a tail is the caller's again when the order has ended. */
  private final List<MemoryRegion> tail;

  private OwnMemory(
      OfPeers owner,
      Peer prefill,
      OfPeer own,
      List<MemoryRegion> regions,
      List<MemoryRegion> tail) {
    this.owner = owner;
    this.prefill = prefill;
    this.own = own;
    this.regions = regions;
    this.tail = tail;
  }

  private static Mono<Void> close(List<MemoryRegion> regions) {
    return Flux.fromIterable(regions).flatMap(MemoryRegion::close).then();
  }

  /** The regions of the KV memory, as they are called now. */
  List<RegionDescriptor> regions() {
    return regions.stream().map(MemoryRegion::descriptor).toList();
  }

  /** The region of the tail, as it is called now. */
  RegionDescriptor tail() {
    return tail.getFirst().descriptor();
  }

  /**
   * Completes when nothing lands any more that the node has posted. What it was told of for other
   * orders is closed, too; it is told of something else from now on.
   */
  Mono<Void> lost() {
    return owner.close(prefill, own).then(ended());
  }

  /** Closes what was registered for this order alone. */
  Mono<Void> ended() {
    return close(tail);
  }
}
