package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The decode side of a model: arms the count, asks prefill nodes to fill pages, and knows when all
 * of it has arrived. Any number of orders run at once. Made by {@link KvCache#decode}; safe from
 * any thread, never blocks.
 *
 * <p><b>When pages are safe to reuse.</b> An order that ends early, by an error, its deadline or a
 * cancel, signals at once. Its pages are the caller's again ({@code whenQuiet} of the order runs)
 * only when nothing can write to them any more: when prefill has confirmed that it stopped and what
 * it had posted has landed; or when what that node was told of the memory is closed. Each prefill
 * node is given registrations of its own, and those of one that is lost, or cannot say what may
 * land, are closed, which takes as long as the NIC takes to end a key and fails no order with
 * another node. Until then pages are {@linkplain #held() held}; {@link #reclaim()} is the way out
 * if prefill lives and never answers.
 */
public final class KvDecode implements Disposable {

  private static final int MAX_COVERS = 1_024;

  private final KvCache cache;
  private final String model;
  private final KvMemory memory;
  private final Map<EngineId, KvSource> sources = new ConcurrentHashMap<>();

  /** Those that are being asked. */
  private final Map<EngineId, Mono<KvSource>> asking = new ConcurrentHashMap<>();

  /** Of whom it is known that together they have all. */
  private final Set<List<KvSource>> covers = ConcurrentHashMap.newKeySet();

  private final OwnMemory.OfPeers own;

  /** Guarded by this, like the next one. */
  private final Set<Reception> receptions = new LinkedHashSet<>();

  private boolean disposed;

  KvDecode(KvCache cache, String model, KvMemory memory) {
    for (MemoryRegion region : memory.regions()) {
      if (!region.access().allowsRemoteWrite()) {
        throw new IllegalArgumentException(
            "expected KV memory registered with "
                + Access.REMOTE_WRITE
                + ", got "
                + region.access());
      }
    }
    this.cache = cache;
    this.model = model;
    this.memory = memory;
    this.own = new OwnMemory.OfPeers(cache, memory, this::lost);
  }

  /** The model that it orders. */
  public String model() {
    return model;
  }

  /** Where arrivals go. */
  public KvMemory memory() {
    return memory;
  }

  /**
   * Orders a KV cache, and has it used when every byte of it can be read. On subscription, which
   * may happen once for an order: asks the prefill nodes how they lay the model out, unless that is
   * known, takes immediates, arms the count, and sends the request.
   *
   * <p>When all has arrived {@code use} is called, once, and what it returns is subscribed to; its
   * value and its end are this publisher's. The pages are the scope's: they are given back when
   * that has ended, by completion, error or cancel. So no page is lost, whenever a cancel comes and
   * whatever operators stand behind. What {@code use} returns must not touch them after it was
   * cancelled; who needs them for longer calls {@link KvArrival#keep()}.
   *
   * <p>Ends with a {@link HandOverException} that names the prefill node when that is lost,
   * refuses, fails or cancels, when its layout cannot be mapped to this one, when the deadline is
   * over, and earlier when at the rate at which it comes it would be missed by far; and with
   * whatever {@code use} throws or ends with. An order that does not fit this memory, or was used
   * before, is an error here, too. Cancelling before the arrival tells prefill to stop; afterwards
   * it cancels what {@code use} returned.
   */
  public <T> Mono<T> receive(
      KvOrder order, Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(use, "use");
    return new ReceiveMono<>(this, order, use);
  }

  /** How many orders have ended whose pages wait until nothing can write to them any more. */
  public int held() {
    return heldReceptions().size();
  }

  /**
   * Completes when the pages of all orders that have ended by the time of the subscription are
   * their owners' again. Cancelling drops the signal.
   */
  public Mono<Void> settled() {
    // Several may wait for the same pages: who throws when they are back must not keep the others.
    return Bulkhead.around(
            () -> Flux.fromIterable(heldReceptions()).flatMap(Reception::freed, Integer.MAX_VALUE))
        .then();
  }

  /**
   * Takes held pages back by force: closes what their prefill nodes were told of, after which no
   * late write can land, and gives the pages back. Orders that run with the same prefill nodes
   * fail; those that come later are not concerned.
   */
  public Mono<Void> reclaim() {
    return Mono.defer(() -> {
      List<Leg> held =
          heldReceptions().stream().flatMap(reception -> reception.heldLegs().stream()).toList();
      return Flux.fromIterable(held).flatMap(Leg::shutOut, Integer.MAX_VALUE).then(settled());
    });
  }

  /**
   * Takes no more orders. Those that run go on; pages that are held come back as ever. When the
   * last order has ended, registrations that were made for prefill nodes are closed.
   */
  @Override
  public void dispose() {
    synchronized (this) {
      disposed = true;
    }
    closeOwn();
  }

  @Override
  public synchronized boolean isDisposed() {
    return disposed;
  }

  /** Begins, or throws and has given the pages back, unless it never had them. */
  Reception begin(KvOrder order) {
    if (!order.use()) {
      throw new IllegalStateException(
          "expected an order that was not used before; its pages may be another's, build a new"
              + " one");
    }
    try {
      cache.answers.requireReadable();
      Reception reception = new Reception(this, order, order.spanIn(memory.layout()));
      register(reception);
      return reception;
    } catch (Throwable failure) {
      order.quiet();
      throw failure;
    }
  }

  private synchronized void register(Reception reception) {
    if (disposed || !cache.enter()) {
      throw new IllegalStateException(
          "expected a KvDecode that is in use, got one that was disposed of");
    }
    receptions.add(reception);
  }

  /** It needs no messages any more. Again: no effect. */
  void finished(Reception reception, long id) {
    synchronized (this) {
      if (!receptions.remove(reception)) {
        return;
      }
    }
    cache.answers.remove(id, reception);
    cache.leave();
    closeOwn();
  }

  private void closeOwn() {
    synchronized (this) {
      if (!disposed || !receptions.isEmpty()) {
        return;
      }
    }
    own.close();
  }

  private List<Reception> heldReceptions() {
    List<Reception> all;
    synchronized (this) {
      all = List.copyOf(receptions);
    }
    return all.stream().filter(Reception::isHeld).toList();
  }

  KvCache cache() {
    return cache;
  }

  @Nullable KvSource known(Peer prefill) {
    return sources.get(prefill.id());
  }

  /** What it has of the model: asked once. */
  Mono<KvSource> source(Peer prefill) {
    return Mono.defer(() -> {
      KvSource known = known(prefill);
      return known != null
          ? Mono.just(known)
          : asking.computeIfAbsent(prefill.id(), id -> askTogether(prefill));
    });
  }

  /** One question for all orders that wait for the answer. */
  private Mono<KvSource> askTogether(Peer prefill) {
    return ask(prefill)
        // Before the signal: who orders again when he hears of an end must not hear the same again.
        .doOnTerminate(() -> asking.remove(prefill.id()))
        .doOnCancel(() -> asking.remove(prefill.id()))
        .flux()
        .replay(1)
        .refCount()
        .next();
  }

  private Mono<KvSource> ask(Peer prefill) {
    return cache
        .answers
        .description(cache, prefill, model)
        .map(description -> {
          KvMapping mapping = KvMapping.between(description.layout(), memory.layout());
          KvSource source = new KvSource(prefill, description.node(), mapping);
          sources.put(prefill.id(), source);
          return source;
        });
  }

  /**
   * Refuses prefill nodes that do not have all of it once, together.
   *
   * @throws IllegalArgumentException if so; names what is missing or comes twice
   */
  void requireCover(List<KvSource> together) {
    if (!covers.contains(together)) {
      KvMapping.requireCover(
          memory.layout(), together.stream().map(source -> source.mapping().source()).toList());
      if (covers.size() >= MAX_COVERS) {
        covers.clear(); // they are only kept to save time
      }
      covers.add(together);
    }
  }

  /** It may be another one when it is asked again. */
  void forget(KvSource source) {
    sources.remove(source.peer().id(), source);
  }

  /** A process that takes its place has another id. */
  void lost(Peer prefill) {
    sources.remove(prefill.id());
  }

  /** What this node is told of the memory for one order. */
  Mono<OwnMemory> memoryFor(Peer prefill, @Nullable MemorySlice tail) {
    return own.of(prefill, tail);
  }

  /** The model and the node. */
  @Override
  public String toString() {
    return "decode of model " + model + " on " + cache.node;
  }
}
