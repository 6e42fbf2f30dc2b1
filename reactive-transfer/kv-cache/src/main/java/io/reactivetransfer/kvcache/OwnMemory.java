package io.reactivetransfer.kvcache;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.kvcache.OwnRegistrations.Own;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

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

    /** Why what was registered is closed; orders that are being made then may find it so. */
    final AtomicReference<@Nullable Throwable> ended = new AtomicReference<>();

    final Sinks.Empty<Void> end = Sinks.empty();

    OfPeer(OwnRegistrations registrations, List<MemoryRegion> bases) {
      List<Own> made = new CopyOnWriteArrayList<>();
      Mono<Void> allClosed = Mono.defer(() -> OwnMemory.close(made));
      this.regions =
          Flux.fromIterable(bases)
              .concatMap(base -> {
                Own own = registrations.register(base.memory());
                made.add(own);
                return own.region();
              })
              .collectList()
              .onErrorResume(failure -> allClosed.onErrorComplete().then(Mono.error(failure)))
              .cache();
      // What was made before one of them failed is closed already.
      this.closed = regions.then().onErrorComplete().then(allClosed).cache();
    }
  }

  /** The registrations for all prefill nodes of one decode. */
  static final class OfPeers {
    private final KvCache cache;
    private final KvMemory memory;
    private final Consumer<Peer> lost;
    private final OwnRegistrations registrations;
    private final Map<EngineId, OfPeer> peers = new ConcurrentHashMap<>();

    /**
     * For one decode.
     *
     * @param lost is told of each prefill node that was lost, whether it served an order or not
     */
    OfPeers(KvCache cache, KvMemory memory, Consumer<Peer> lost) {
      this.cache = cache;
      this.memory = memory;
      this.lost = lost;
      this.registrations = new OwnRegistrations(cache.engine);
    }

    /** Whether it is heard of when this node is lost. */
    boolean isWatching(Peer prefill) {
      OfPeer own = peers.get(prefill.id());
      return own != null && own.watched.get();
    }

    /** What this node is told for one order, once it is {@linkplain OwnMemory#ready() ready}. */
    OwnMemory of(Peer prefill, @Nullable MemorySlice tail) {
      OfPeer own =
          peers.computeIfAbsent(prefill.id(), id -> new OfPeer(registrations, memory.regions()));
      if (own.watched.compareAndSet(false, true)) {
        own.watching.update(
            Ending.of(cache.lossOf(prefill), () -> {}, failed -> isLost(prefill, own, failed)));
      }
      Own forTail = tail == null ? null : registrations.register(OwnMemory.part(tail));
      return new OwnMemory(this, prefill, own, tail, forTail);
    }

    /** Nothing else may tell of the loss: no order need run with it. */
    private void isLost(Peer prefill, OfPeer own, Throwable loss) {
      lost.accept(prefill);
      Ending.of(close(prefill, own, loss), () -> {}, failed -> {});
    }

    /** Closes the registrations for a node; what else runs with it ends for this reason. */
    private Mono<Void> close(Peer prefill, OfPeer own, Throwable reason) {
      return Mono.defer(() -> {
        if (own.ended.compareAndSet(null, reason)) {
          own.end.tryEmitError(reason);
        }
        peers.remove(prefill.id(), own); // who comes back is told of others
        own.watching.dispose();
        return own.closed;
      });
    }

    /** Closes all; when no order needs them any more. */
    void close() {
      registrations.end();
      for (OfPeer own : List.copyOf(peers.values())) {
        own.watching.dispose();
        Ending.of(own.closed, () -> {}, failed -> {});
      }
      peers.clear();
    }

    /** Completes when all that was registered is closed, after {@link #close()}. */
    Mono<Void> closed() {
      return registrations.closed();
    }
  }

  private final OfPeers owner;
  private final Peer prefill;
  private final OfPeer own;
  private final @Nullable MemorySlice tail;

  /** None if there is no tail, whose memory is the caller's again when the order has ended. */
  private final @Nullable Own forTail;

  /** What is registered; empty until {@link #ready()} has completed. */
  private volatile List<RegionDescriptor> regions = List.of();

  private volatile @Nullable RegionDescriptor tailRegion;

  private OwnMemory(
      OfPeers owner, Peer prefill, OfPeer own, @Nullable MemorySlice tail, @Nullable Own forTail) {
    this.owner = owner;
    this.prefill = prefill;
    this.own = own;
    this.tail = tail;
    this.forTail = forTail;
  }

  /** Registers what is not registered yet, and completes when all of it is. */
  Mono<Void> ready() {
    return own.regions
        .doOnError(failed -> {
          if (owner.peers.remove(prefill.id(), own)) {
            own.watching.dispose(); // the node was told of nothing
          }
        })
        .doOnNext(all -> regions = all.stream().map(MemoryRegion::descriptor).toList())
        .then(
            forTail == null
                ? Mono.empty()
                : forTail.region().doOnNext(one -> tailRegion = one.descriptor()))
        .then()
        .onErrorMap(failure -> {
          Throwable reason = own.ended.get();
          return reason == null ? failure : reason;
        });
  }

  /** Never completes; fails when what the node was told of the KV memory is closed. */
  Mono<Void> end() {
    return own.end.asMono();
  }

  /** All of them are closed, also if one of them cannot be. */
  private static Mono<Void> close(List<Own> regions) {
    return Flux.fromIterable(regions)
        .flatMapDelayError(Own::closed, Math.max(1, regions.size()), 1)
        .then();
  }

  /** What is registered for a tail: no byte besides may be written to. */
  private static Memory part(MemorySlice tail) {
    long from = firstByte(tail);
    long length = Math.max(1, tail.length());
    return switch (tail.region().memory()) {
      case HostMemory host -> new HostMemory(host.segment().asSlice(from, length));
      case DeviceMemory device -> device.slice(from, length);
    };
  }

  /** Nothing cannot be registered; so a tail without a byte takes one beside it. */
  private static long firstByte(MemorySlice tail) {
    return tail.length() > 0 ? tail.offset() : Math.min(tail.offset(), tail.region().length() - 1);
  }

  /** What the regions of the KV memory are called. */
  List<RegionDescriptor> regions() {
    return regions;
  }

  /** What the tail is called; null if none is wanted of this node. */
  KvMessage.@Nullable Tail tail() {
    RegionDescriptor region = tailRegion;
    return tail == null || region == null
        ? null
        : new KvMessage.Tail(region, tail.offset() - firstByte(tail), tail.length());
  }

  /**
   * Completes when nothing lands any more that the node has posted. What it was told of for other
   * orders is closed, too; it is told of something else from now on.
   *
   * @param reason what these orders end with
   */
  Mono<Void> lost(Throwable reason) {
    return owner.close(prefill, own, reason).then(ended());
  }

  /** Closes what was registered for this order alone, also if that is not registered yet. */
  Mono<Void> ended() {
    return forTail == null ? Mono.empty() : forTail.closed();
  }
}
