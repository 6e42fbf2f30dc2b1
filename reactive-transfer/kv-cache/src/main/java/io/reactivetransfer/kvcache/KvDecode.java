package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Peer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

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

  /** Those that are being asked, by one question for all orders that wait for the answer. */
  private final SharedQuestions<EngineId, KvSource> asking = new SharedQuestions<>();

  /** Of whom it is known that together they have all. */
  private final Set<List<KvSource>> covers = ConcurrentHashMap.newKeySet();

  private final OwnMemory.OfPeers own;

  /** Guarded by this, like the next one. */
  private final Set<Reception> receptions = new LinkedHashSet<>();

  /** Arrivals that were released, whose pages are not back yet. */
  private final Set<Reception> leaving = new LinkedHashSet<>();

  private boolean disposed;

  private final Sinks.Empty<Void> gone = Sinks.empty();

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

  /** Whose decode side it is. */
  public KvCache cache() {
    return cache;
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
   *
   * <p>{@code use} is called on a thread of the engine's signal scheduler, and must not block.
   * Errors come there, too, but for those of time, which come on the timers' ({@link
   * KvCacheOptions.Builder#timers}), and those that are seen at once, which come on the
   * subscriber's.
   */
  public <T> Mono<T> receive(
      KvOrder order, Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(use, "use");
    return new ReceiveMono<>(this, order, use);
  }

  /**
   * The same for an order that is made when it is subscribed to, which takes the pages then: each
   * subscription makes one. So no page is lost if nobody subscribes, or if a cancel comes before
   * the subscription does, as it may behind {@code subscribeOn}.
   *
   * @param order what it throws is the error
   */
  public <T> Mono<T> receive(
      Supplier<KvOrder> order, Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(use, "use");
    return Mono.fromDirect(Bulkhead.<T>around(() -> receive(order.get(), use)));
  }

  /**
   * How many orders have ended early whose pages wait until nothing can write to them any more. An
   * arrival is not one of them, be it kept or in its scope.
   */
  public int held() {
    return heldReceptions().size();
  }

  /**
   * Completes when the pages of all orders that were {@linkplain #held() held} at the time of the
   * subscription are their owners' again, and those of all arrivals that were released by then. It
   * does not wait for other arrivals: those that were kept are their owners' to give back, whenever
   * they like. Cancelling drops the signal.
   */
  public Mono<Void> settled() {
    // Several may wait for the same pages: who throws when they are back must not keep the others.
    return Bulkhead.around(
            () -> Flux.fromIterable(comingBack()).flatMap(Reception::freed, Integer.MAX_VALUE))
        .then();
  }

  /**
   * Takes held pages back by force: closes what their prefill nodes were told of, after which no
   * late write can land, and gives the pages back. Orders that run with the same prefill nodes
   * fail; those that come later are not concerned. Begins on subscribe; a cancel drops the signal
   * only. What cannot be closed is its error, when all the others are closed.
   */
  public Mono<Void> reclaim() {
    return Mono.defer(() -> {
      List<Leg> held =
          heldReceptions().stream().flatMap(reception -> reception.heldLegs().stream()).toList();
      return Flux.fromIterable(held)
          .flatMapDelayError(Leg::shutOut, Integer.MAX_VALUE, 1)
          .then(settled());
    });
  }

  /**
   * Takes no more orders. Those that run go on; pages that are held come back as ever. When the
   * last order has ended, registrations that were made for prefill nodes are closed: see {@link
   * #closed()}.
   */
  @Override
  public void dispose() {
    synchronized (this) {
      disposed = true;
    }
    gone.tryEmitEmpty();
    closeOwn();
  }

  @Override
  public synchronized boolean isDisposed() {
    return disposed;
  }

  /**
   * Completes when this was disposed of or the engine has closed, all orders have ended, and all
   * that was registered for prefill nodes, of the KV memory and of tails, is closed: then no NIC
   * can touch the memory by it, and the application may close its own regions and free the memory,
   * once its own scopes have ended, and nothing reads arrivals that were kept: these are not waited
   * for. Pages that are {@linkplain #held() held} are; {@link #reclaim()} ends that. Fails with
   * what {@link MemoryRegion#close()} has failed with. Each subscription waits for itself and
   * closes nothing.
   */
  public Mono<Void> closed() {
    return Mono.from(Bulkhead.<Void>around(own::closed));
  }

  /**
   * Begins, or throws and has given the pages back, unless it never had them.
   *
   * @param context the subscriber's
   */
  Reception begin(KvOrder order, Supplier<? extends ContextView> context) {
    if (!order.use()) {
      throw new IllegalStateException(
          "expected an order that was not used before; its pages may be another's, build a new"
              + " one");
    }
    try {
      requireOpen(order);
      requireOthers(order);
      requireReadable();
      requireUsable(order.tail());
      Reception reception = new Reception(this, order, order.spanIn(memory.layout()));
      // Before it is known here: a subscriber whose context throws fails an order of nobody.
      BegunOrder begun = cache.recording.isOn() ? new BegunOrder(this, order, context.get()) : null;
      register(reception);
      if (begun != null) {
        reception.recordedBy(cache.recording.begun(begun));
      }
      return reception;
    } catch (Throwable failure) {
      order.quiet();
      throw failure;
    }
  }

  private void requireOpen(KvOrder order) {
    if (cache.engine.isClosed()) {
      Peer prefill = order.prefills().getFirst();
      throw new HandOverException(
          HandOverException.Reason.FAILED,
          new HandOverException.Node("prefill", prefill, null),
          0,
          KvCache.CLOSED);
    }
  }

  private void requireOthers(KvOrder order) {
    for (Peer prefill : order.prefills()) {
      if (!prefill.engine().equals(cache.engine.id())) {
        throw new IllegalArgumentException(
            "expected a peer of this node's engine "
                + cache.engine.id().toShortString()
                + ", got "
                + prefill.address()
                + " as engine "
                + prefill.engine().toShortString()
                + " sees it; use peer(address) of this one");
      }
      if (prefill.id().equals(cache.engine.id())) {
        throw new IllegalArgumentException(
            "expected a prefill node on another engine, got this node's own ("
                + prefill.address()
                + "); what was computed on this engine is read where it lies");
      }
    }
  }

  private void requireReadable() {
    try {
      cache.answers.requireReadable();
    } catch (IllegalStateException unreadable) {
      throw KvCache.unreadable(unreadable);
    }
  }

  /** The memory is registered once more for each node, which needs no region that is open. */
  private void requireUsable(@Nullable MemorySlice tail) {
    for (MemoryRegion region : memory.regions()) {
      if (region.isClosed()) {
        throw new IllegalStateException("expected KV memory in open regions, got a " + region);
      }
    }
    if (tail == null) {
      return;
    }
    if (tail.region().isClosed()) {
      throw new IllegalArgumentException(
          "expected a tail in an open region, got one in a " + tail.region());
    }
    EngineId owner = tail.region().engine();
    if (!owner.equals(cache.engine.id())) {
      throw new IllegalArgumentException(
          "expected a tail in memory of this node's engine "
              + cache.engine.id().toShortString()
              + ", got one of engine "
              + owner.toShortString());
    }
  }

  private synchronized void register(Reception reception) {
    if (disposed || !cache.enter()) {
      throw disposedError();
    }
    receptions.add(reception);
  }

  /** Completes when no more orders can be made here. */
  Mono<Void> gone() {
    return Mono.firstWithSignal(gone.asMono(), cache.engine.onClose().onErrorComplete());
  }

  static IllegalStateException disposedError() {
    return new IllegalStateException(
        "expected a KvDecode that is in use, got one that was disposed of");
  }

  /** It needs no messages any more. Again: no effect. */
  void finished(Reception reception, List<Long> numbers) {
    synchronized (this) {
      if (!receptions.remove(reception)) {
        return;
      }
    }
    numbers.forEach(number -> cache.answers.remove(number, reception));
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

  /** The pages of an arrival were released, and will be back. */
  synchronized void leaves(Reception arrived) {
    leaving.add(arrived);
  }

  /** They are. */
  synchronized void left(Reception arrived) {
    leaving.remove(arrived);
  }

  private List<Reception> comingBack() {
    List<Reception> all = new ArrayList<>(heldReceptions());
    synchronized (this) {
      all.addAll(leaving);
    }
    return all;
  }

  private List<Reception> heldReceptions() {
    List<Reception> all;
    synchronized (this) {
      all = List.copyOf(receptions);
    }
    return all.stream().filter(Reception::isHeld).toList();
  }

  @Nullable KvSource known(Peer prefill) {
    return sources.get(prefill.id());
  }

  /**
   * What it has of the model: asked once, and again if nobody would have heard that it was lost
   * since.
   */
  Mono<KvSource> source(Peer prefill) {
    return Mono.defer(() -> {
      KvSource known = known(prefill);
      return known != null && own.isWatching(prefill)
          ? Mono.just(known)
          : asking.answer(prefill.id(), () -> ask(prefill));
    });
  }

  private Mono<KvSource> ask(Peer prefill) {
    return cache
        .answers
        .description(cache, prefill, model)
        .map(description -> {
          KvSource source =
              new KvSource(prefill, description.node(), mapping(prefill, description));
          if (sources.put(prefill.id(), source) != null) {
            forgetCovers(prefill); // it may be another one
          }
          return source;
        });
  }

  private KvMapping mapping(Peer prefill, KvMessage.Description description) {
    try {
      return KvMapping.between(description.layout(), memory.layout());
    } catch (IllegalArgumentException refused) {
      throw new HandOverException(
          HandOverException.Reason.REFUSED,
          new HandOverException.Node("prefill", prefill, description.node()),
          0,
          HandOverException.textOf(refused),
          refused);
    }
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
      if (!sources.values().containsAll(together)) {
        covers.remove(together); // one was lost meanwhile
      }
    }
  }

  /** It may be another one when it is asked again. */
  void forget(KvSource source) {
    if (sources.remove(source.peer().id(), source)) {
      forgetCovers(source.peer());
    }
  }

  /** A process that takes its place has another id. */
  void lost(Peer prefill) {
    if (sources.remove(prefill.id()) != null) {
      forgetCovers(prefill);
    }
  }

  private void forgetCovers(Peer prefill) {
    covers.removeIf(
        together -> together.stream().anyMatch(source -> source.peer().id().equals(prefill.id())));
  }

  /** Of how many sets of nodes it is known that they have all. */
  int coversKept() {
    return covers.size();
  }

  /** What this node is told of the memory for one order. */
  OwnMemory memoryFor(Peer prefill, @Nullable MemorySlice tail) {
    return own.of(prefill, tail);
  }

  /** The model and the node. */
  @Override
  public String toString() {
    return "decode of model " + model + " on " + cache.node;
  }
}
