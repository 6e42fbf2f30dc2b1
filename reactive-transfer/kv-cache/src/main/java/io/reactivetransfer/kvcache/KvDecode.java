package io.reactivetransfer.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The decode side: reserves pages, arms the count, asks a prefill node to fill them, and knows when
 * all of it has arrived. One object for one KV memory and any number of hand-overs. Safe from any
 * thread, never blocks; signals come on the engine's signal scheduler, and deadlines on {@code
 * Schedulers.parallel()}.
 *
 * <p><b>When pages are safe to reuse.</b> A hand-over that ends early, by an error, its deadline or
 * a cancel, signals at once. Its pages go back to the pool only when nothing can write to them any
 * more: when prefill has confirmed that it stopped and what it had posted has landed, or when
 * prefill is lost and the engine {@linkplain TransferEngine#fencesLostPeers() fences} lost peers.
 * Until then they are {@linkplain #held() held}; {@link #reclaim()} is the way out if prefill never
 * answers, or is lost on an engine that does not fence.
 *
 * <p>An engine can be this and {@link KvPrefill} at once; there is one of each.
 */
public final class KvDecode implements Disposable {

  /**
   * Numbers of hand-overs, for all objects of this class: prefill knows a request by the engine
   * that sent it and this number, and a second object on the same engine must not seem to repeat
   * the requests of the first.
   */
  private static final AtomicLong IDS = new AtomicLong();

  final TransferEngine engine;
  final KvMemory memory;
  private final PagePool pool;

  /** Nobody ever sends this one: a claim on it, bound to a peer, ends when the peer is lost. */
  private final ImmLease watch;

  /** Whether it is still taken. Guarded by this, like the next one. */
  private boolean watching = true;

  private boolean disposed;

  private final Map<Long, Reception> receptions = new ConcurrentHashMap<>();
  private volatile @Nullable Throwable inboxFailure;
  private final Disposable inbox;

  private KvDecode(TransferEngine engine, KvMemory memory, PagePool pool) {
    if (pool.size() != memory.layout().poolPages()) {
      throw new IllegalArgumentException(
          "expected a pool of " + memory.layout().poolPages() + " pages, got " + pool.size());
    }
    Access access = memory.region().access();
    if (!access.allowsRemoteWrite()) {
      throw new IllegalArgumentException(
          "expected KV memory registered with " + Access.REMOTE_WRITE + ", got " + access);
    }
    this.engine = engine;
    this.memory = memory;
    this.pool = pool;
    this.watch = engine.lease();
    this.inbox = KvInbox.open(engine, KvInbox.TO_DECODE, new Answers());
  }

  /**
   * The decode side on this engine. Reads message channel 17 of the engine from now on until it is
   * disposed of; all others are the application's, or other libraries'.
   *
   * @param memory where arrivals go; its region is open to remote writes
   * @param pool which pages are free; may be shared with others who reserve from it
   */
  public static KvDecode open(TransferEngine engine, KvMemory memory, PagePool pool) {
    return new KvDecode(engine, memory, pool);
  }

  /**
   * Orders a KV cache, and has it used when every byte of it can be read. Each subscription
   * reserves pages and takes an immediate of its own, arms the count, and sends the request.
   *
   * <p>When all has arrived {@code use} is called, once, on the engine's signal scheduler, and what
   * it returns is subscribed to; its value and its end are this publisher's. The pages are the
   * scope's: they go back to the pool when that has ended, by completion, error or cancel. So no
   * page is lost, whenever a cancel comes and whatever operators stand behind. What {@code use}
   * returns must not touch them after it was cancelled; who needs them for longer calls {@link
   * KvArrival#keep()}.
   *
   * <p>Ends with a {@link HandOverException} that names the prefill node when that is lost,
   * refuses, fails or cancels, and when the deadline is over; with a {@link
   * PagesExhaustedException} when too few pages are free; and with whatever {@code use} throws or
   * ends with. Cancelling before the arrival withdraws the claim and tells prefill to stop;
   * afterwards it cancels what {@code use} returned.
   */
  public <T> Mono<T> receive(
      KvOrder order, Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(use, "use");
    return new ReceiveMono<>(this, order, use);
  }

  /** How many hand-overs have ended whose pages wait until nothing can write to them any more. */
  public int held() {
    return heldReceptions().size();
  }

  /**
   * Completes when the pages of all hand-overs that have ended by the time of the subscription are
   * back in the pool. Cancelling drops the signal.
   */
  public Mono<Void> settled() {
    // Several may wait for the same pages: who throws when they are back must not keep the others.
    return Bulkhead.around(
            () -> Flux.fromIterable(heldReceptions()).flatMap(Reception::freed, Integer.MAX_VALUE))
        .then();
  }

  /**
   * Takes held pages back by force: revokes the descriptors of the KV memory and of the tails
   * concerned, after which no late write can land, and returns the pages to the pool. Hand-overs
   * that are running fail, because they were given the old descriptor.
   */
  public Mono<Void> reclaim() {
    return Mono.defer(() -> {
      List<Reception> held = heldReceptions();
      Set<MemoryRegion> regions = new HashSet<>();
      regions.add(memory.region());
      held.forEach(reception -> regions.add(reception.tailRegion()));
      return Flux.fromIterable(regions)
          .flatMap(MemoryRegion::revoke)
          .then(Mono.fromRunnable(() -> held.forEach(Reception::free)));
    });
  }

  /**
   * Stops reading messages. Do so when all hand-overs have ended: one that still runs does not hear
   * of a refusal any more, and held pages are not confirmed. When none is left its own immediate
   * goes back to the space, and no other hand-over can begin.
   */
  @Override
  public void dispose() {
    inbox.dispose();
    synchronized (this) {
      disposed = true;
    }
    endWatch();
  }

  @Override
  public boolean isDisposed() {
    return inbox.isDisposed();
  }

  /** Reserves what a hand-over needs, or throws and has reserved nothing. */
  Reception begin(KvOrder order) {
    Throwable failure = inboxFailure;
    if (failure != null) {
      throw new IllegalStateException("the engine's messages cannot be read: " + failure, failure);
    }
    PageReservation reservation = pool.reserve(order.pages());
    ImmLease lease = null;
    try {
      lease = engine.lease();
      Reception reception = new Reception(this, IDS.incrementAndGet(), order, reservation, lease);
      register(reception);
      return reception;
    } catch (Throwable e) {
      reservation.release();
      if (lease != null) {
        lease.close();
      }
      throw e;
    }
  }

  private synchronized void register(Reception reception) {
    if (!watching) {
      throw new IllegalStateException(
          "expected a KvDecode that is in use, got one that was disposed of");
    }
    receptions.put(reception.id(), reception);
  }

  /** Its immediate may be another's, when nobody waits for it any more nor ever will. */
  private synchronized void endWatch() {
    if (watching && disposed && receptions.isEmpty()) {
      watching = false;
      watch.close();
    }
  }

  /** Never completes; fails when the peer is lost, or the engine closes. */
  Mono<Void> lossOf(Peer peer) {
    return watch.counter().boundTo(peer).next(1);
  }

  /** Nothing can arrive under this immediate any more. */
  void forget(Reception reception, ImmLease lease) {
    if (receptions.remove(reception.id(), reception)) {
      lease.close();
      endWatch();
    }
  }

  private List<Reception> heldReceptions() {
    return receptions.values().stream().filter(Reception::isHeld).toList();
  }

  private final class Answers implements KvInbox.Handler {

    @Override
    public void received(Peer sender, OldMessage message) {
      Reception reception = receptions.get(message.id());
      if (reception != null && message instanceof OldMessage.End end && reception.isWith(sender)) {
        reception.ended(end);
      }
    }

    @Override
    public void ended(@Nullable Throwable failure) {
      inboxFailure = failure;
    }
  }
}
