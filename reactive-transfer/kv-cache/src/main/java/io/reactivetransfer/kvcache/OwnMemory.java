package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Registrations of decode's memory for one prefill node alone, on an engine that does not keep out
 * what a lost peer may still write: they are closed when it is lost, which no other node notices.
 */
final class OwnMemory implements PeerMemory {

  /** The registrations of the KV memory for one node, shared by its orders. */
  private static final class OfPeer {
    final Mono<List<MemoryRegion>> regions;
    final Mono<Void> closed;

    OfPeer(TransferEngine engine, List<MemoryRegion> bases) {
      this.regions =
          Flux.fromIterable(bases)
              .concatMap(base -> engine.register(base.memory(), Access.REMOTE_WRITE))
              .collectList()
              .cache();
      this.closed = regions.flatMap(OwnMemory::close).cache();
    }
  }

  /** The registrations for all prefill nodes of one decode. */
  static final class OfPeers {
    private final TransferEngine engine;
    private final KvMemory memory;
    private final Map<EngineId, OfPeer> peers = new ConcurrentHashMap<>();

    OfPeers(TransferEngine engine, KvMemory memory) {
      this.engine = engine;
      this.memory = memory;
    }

    /** What this node is told for one order. */
    Mono<PeerMemory> of(Peer prefill, @Nullable MemorySlice tail) {
      OfPeer own = peers.computeIfAbsent(prefill.id(), id -> new OfPeer(engine, memory.regions()));
      Mono<List<MemoryRegion>> tails =
          tail == null
              ? Mono.just(List.of())
              : engine.register(tail.region().memory(), Access.REMOTE_WRITE).map(List::of);
      return own.regions
          .doOnError(failed -> peers.remove(prefill.id(), own))
          .flatMap(
              regions -> tails.map(forTail -> new OwnMemory(this, prefill, own, regions, forTail)));
    }

    /** Closes the registrations for a node that is lost. */
    private Mono<Void> close(Peer prefill, OfPeer own) {
      return Mono.defer(() -> {
        peers.remove(prefill.id(), own); // who comes back is told of others
        return own.closed;
      });
    }

    /** Closes all; when no order needs them any more. */
    void close() {
      List.copyOf(peers.values()).forEach(own -> Ending.of(own.closed, () -> {}, failed -> {}));
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

  private static Mono<Void> close(Collection<MemoryRegion> regions) {
    return Flux.fromIterable(regions).flatMap(MemoryRegion::close).then();
  }

  @Override
  public List<RegionDescriptor> regions() {
    return regions.stream().map(MemoryRegion::descriptor).toList();
  }

  @Override
  public RegionDescriptor tail(MemorySlice slice) {
    return tail.getFirst().descriptor();
  }

  @Override
  public Mono<Void> lost() {
    return owner.close(prefill, own).then(ended());
  }

  @Override
  public Mono<Void> ended() {
    return close(tail);
  }

  @Override
  public Collection<MemoryRegion> exposed() {
    List<MemoryRegion> all = new ArrayList<>(regions);
    all.addAll(tail);
    return all;
  }
}
