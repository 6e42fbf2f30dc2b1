package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;

/**
 * Orders of prefill nodes that come and go, each of which has all of the model: of the one with the
 * fewest orders of this router at the moment, and, where that is lost or does not do it, of another
 * one. So a node may be killed, stopped or taken away while it works, and the order is served all
 * the same.
 *
 * <p>Any number of orders run at once; safe from any thread, never blocks. A router belongs to one
 * {@link KvDecode}, which stays the caller's.
 */
public final class KvRouter implements Disposable {

  /** How many nodes are asked for one order unless it is said. */
  public static final int DEFAULT_ATTEMPTS = 3;

  /** The most nodes that may be asked for one order. */
  public static final int MAX_ATTEMPTS = 64;

  private final KvDecode decode;
  private final int attempts;
  private final RouterLoads loads;
  private final Sinks.Many<List<Peer>> prefills = Sinks.many().replay().latest();
  private final Sinks.Empty<Void> over = Sinks.empty();
  private final Known known = new Known();
  private volatile @Nullable Throwable failure;
  private volatile boolean isDisposed;

  private KvRouter(KvDecode decode, int attempts) {
    this.decode = decode;
    this.attempts = attempts;
    this.loads = new RouterLoads(decode.cache().timers);
  }

  /**
   * Keeps the last of the lists, however slow orders are. An error comes as a signal: one that
   * comes at the moment of a cancel is then dropped in silence.
   */
  private final class Known extends BaseSubscriber<Signal<List<Peer>>> {

    @Override
    protected void hookOnNext(Signal<List<Peer>> signal) {
      List<Peer> now = signal.get();
      if (now != null) {
        loads.keepOnly(now);
        prefills.tryEmitNext(now);
      } else if (signal.isOnError()) {
        failure = signal.getThrowable();
        over.tryEmitEmpty();
      } else {
        prefills.tryEmitComplete(); // whoever comes gets the last list, and then this
      }
    }
  }

  /** The same, with at most {@value #DEFAULT_ATTEMPTS} nodes for one order. */
  public static KvRouter open(
      KvDecode decode, Publisher<? extends Collection<? extends Peer>> prefills) {
    return open(decode, prefills, DEFAULT_ATTEMPTS);
  }

  /**
   * Opens it, and subscribes to who there is, until {@link #dispose()}.
   *
   * @param prefills the nodes that can be asked, all of them with each change, such as those of a
   *     membership that are alive. Where it completes, the last ones stay. Where it fails, orders
   *     that look for their first node from then on fail with the same error
   * @param attempts how many nodes are asked for one order at most, 1 to {@value #MAX_ATTEMPTS}: an
   *     order by which nodes break must not break all of them
   */
  public static KvRouter open(
      KvDecode decode, Publisher<? extends Collection<? extends Peer>> prefills, int attempts) {
    Objects.requireNonNull(decode, "decode");
    Objects.requireNonNull(prefills, "prefills");
    if (attempts < 1 || attempts > MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "expected 1 to " + MAX_ATTEMPTS + " attempts, got " + attempts);
    }
    KvRouter router = new KvRouter(decode, attempts);
    Flux.from(prefills).map(List::<Peer>copyOf).materialize().subscribe(router.known);
    return router;
  }

  /**
   * Orders of one of the nodes, as {@link KvDecode#receive} does; each subscription makes orders of
   * its own. If no node is there, it waits for one. A node that refuses, cancels, fails, or is lost
   * is not asked again for this order, and another one is, until so many have been asked as {@link
   * #open} says. Nobody else is asked once all has arrived, or where the deadline is over, or would
   * be missed.
   *
   * <p>Ends with the {@link HandOverException} of the node that was asked last, in which those of
   * the others are suppressed; or with one without a peer, if there was nobody to ask in time; and
   * with an {@link IllegalStateException} if this, or the decode side, is disposed of while it
   * looks for its first node. What fails at this node itself, such as a request that is too long,
   * is the end, too. All else is as there: what {@code use} may do, the thread of signals, and that
   * a cancel tells the node to stop.
   *
   * @param deadline until all has arrived, whoever is asked: 1 ms to 24 days
   * @param order makes an order of this node, with pages of its own: those of the order before may
   *     still be held. It may be called again, on any thread, must not block, and what it throws is
   *     the error. The order's own deadline is replaced by what is left
   */
  public <T> Mono<T> receive(
      Duration deadline,
      Function<? super Peer, KvOrder.Builder> order,
      Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    KvOrder.requireDeadline(deadline);
    Objects.requireNonNull(order, "order");
    Objects.requireNonNull(use, "use");
    // Whoever is asked later is asked on another thread, and is a part of the same trace.
    return Mono.defer(() -> next(new RoutedOrder<>(decode, deadline, attempts, order, use)))
        .contextCapture();
  }

  private <T> Mono<T> next(RoutedOrder<T> order) {
    Throwable ending = ending(order);
    if (ending != null) {
      return Mono.error(ending);
    }
    Mono<List<Peer>> candidates =
        // One who throws when he hears of the end is not to keep it from the others.
        Bulkhead.around(prefills::asFlux)
            .takeUntilOther(
                Bulkhead.around(() -> Mono.firstWithSignal(over.asMono(), decode.gone())))
            .filter(order::canAskOneOf)
            .next();
    return decode
        .cache()
        .timers
        .within(order.remaining(), candidates)
        .onErrorMap(TimeoutException.class, late -> order.nobodyInTime())
        .switchIfEmpty(
            Mono.error(() -> {
              Throwable why = ending(order);
              return why == null ? order.nobody() : why;
            }))
        .flatMap(all -> attempt(order, all));
  }

  /** Why nobody can be asked any more, if that is so. */
  private @Nullable Throwable ending(RoutedOrder<?> order) {
    Throwable reason = failure;
    if (reason == null) {
      reason = order.goneWith();
    }
    if (reason == null && isDisposed) {
      reason = new IllegalStateException("expected a KvRouter that is in use, got one disposed of");
    }
    return reason == null ? null : order.lastFailureOr(reason);
  }

  private <T> Mono<T> attempt(RoutedOrder<T> order, List<Peer> all) {
    return Mono.using(
        () -> loads.begin(order.among(all)),
        attempt ->
            order
                .ask(attempt)
                .onErrorResume(reason -> {
                  if (order.isOfNode(reason)) {
                    attempt.failed();
                    if (order.goesOnAfter((HandOverException) reason)) {
                      return next(order);
                    }
                  }
                  return Mono.error(order.ending(reason));
                }),
        RouterLoads.Attempt::ended);
  }

  /**
   * Asks nobody any more, and is told of no more nodes. Orders that run go on with whom they have
   * asked.
   */
  @Override
  public void dispose() {
    isDisposed = true;
    known.dispose();
    over.tryEmitEmpty();
  }

  @Override
  public boolean isDisposed() {
    return isDisposed;
  }
}
