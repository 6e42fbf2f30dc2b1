package io.reactivetransfer.kvcache;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One hand-over for each subscription: a {@link Reception}, and when that has arrived the scope in
 * which the caller uses it. Not made of Reactor's operators, because a value on its way through
 * them is lost when a cancel comes at the same moment, and its pages with it; nor is the error of
 * one of several things that end at once worth a line on Reactor's hooks.
 */
final class ReceiveMono<T> extends Mono<T> {

  private final KvDecode owner;
  private final KvOrder order;
  private final Function<? super KvArrival, ? extends Mono<? extends T>> use;

  ReceiveMono(
      KvDecode owner, KvOrder order, Function<? super KvArrival, ? extends Mono<? extends T>> use) {
    this.owner = owner;
    this.order = order;
    this.use = use;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    Reception reception;
    try {
      reception = owner.begin(order, actual::currentContext);
    } catch (Throwable e) {
      Operators.error(actual, e);
      return;
    }
    Scope<T> scope = new Scope<>(reception, use, actual);
    try {
      actual.onSubscribe(scope);
    } catch (Throwable thrown) {
      reception.cancel(); // it has the pages, and nobody will wait for them
      scope.onError(thrown);
      return;
    }
    reception.start(scope);
  }

  /**
   * What one subscriber holds: the reception until it has arrived, then what the caller makes of
   * it. The pages go back when that has ended; by a cancel or a request of nothing, not while the
   * caller's function runs.
   */
  private static final class Scope<T> extends Operators.DeferredSubscription
      implements CoreSubscriber<T>, Reception.Listener {

    private final Reception reception;
    private final Function<? super KvArrival, ? extends Mono<? extends T>> use;
    private final CoreSubscriber<? super T> actual;
    private final AtomicBoolean over = new AtomicBoolean();

    /** The scope itself, and the caller's function while it runs. The last to leave gives back. */
    private final AtomicInteger holders = new AtomicInteger(1);

    /** The error of a request that is none, until the subscriber is told of it. */
    private final AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();

    private volatile @Nullable KvArrival arrival;
    private @Nullable T result;

    /** Nobody waits for a signal any more. */
    private volatile boolean gone;

    Scope(
        Reception reception,
        Function<? super KvArrival, ? extends Mono<? extends T>> use,
        CoreSubscriber<? super T> actual) {
      this.reception = reception;
      this.use = use;
      this.actual = actual;
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void arrived(KvArrival arrived) {
      arrival = arrived;
      holders.incrementAndGet();
      try {
        if (!over.get()) {
          ThreadLocals.of(Bulkhead.<T>around(() -> use.apply(arrived))).subscribe(this);
        }
      } finally {
        left();
      }
    }

    @Override
    public boolean failed(Throwable reason) {
      boolean first = over.compareAndSet(false, true);
      if (first) {
        Bulkhead.end(actual, reason);
      }
      return first;
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        stop(new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n));
      } else {
        super.request(n);
      }
    }

    @Override
    public void cancel() {
      gone = true;
      stop(null);
    }

    /**
     * Ends the order, and what the caller has made of its arrival.
     *
     * @param reason what the subscriber is told when the pages are back; null for nothing
     */
    private void stop(@Nullable Throwable reason) {
      boolean first = over.compareAndSet(false, true);
      if (first) {
        refused.set(reason);
      }
      reception.cancel();
      super.cancel();
      if (first) {
        left();
      }
    }

    @Override
    public void onSubscribe(Subscription inner) {
      set(inner);
    }

    @Override
    public void onNext(T value) {
      result = value; // told when the pages are back
    }

    @Override
    public void onError(Throwable failure) {
      if (over.compareAndSet(false, true)) {
        endWhenBack(() -> Bulkhead.end(actual, failure));
      }
    }

    @Override
    public void onComplete() {
      if (over.compareAndSet(false, true)) {
        endWhenBack(() -> Bulkhead.end(actual, emitted()));
      }
    }

    /** Who gets the signal finds the pages in the pool, which may take until a NIC has closed. */
    private void endWhenBack(Runnable signal) {
      KvArrival arrived = arrival;
      if (arrived == null || arrived.isKept()) {
        signal.run();
        return;
      }
      arrived.scopeEnded();
      Runnable unlessGone =
          () -> {
            if (!gone) {
              signal.run();
            }
          };
      Ending.of(reception.freed(), unlessGone, failure -> unlessGone.run());
    }

    /** Emits the value, if there is one, and returns what the subscriber throws. */
    private @Nullable Throwable emitted() {
      try {
        T value = result;
        if (value != null) {
          actual.onNext(value);
        }
        return null;
      } catch (Throwable thrown) {
        Bulkhead.thrownInNext(thrown);
        return thrown;
      }
    }

    /** Who stops this waits for the caller's function, which may be reading the pages. */
    private void left() {
      if (holders.decrementAndGet() == 0) {
        giveBack();
      }
    }

    private void giveBack() {
      Throwable reason = refused.getAndSet(null);
      if (reason != null) {
        endWhenBack(() -> Bulkhead.end(actual, reason));
        return;
      }
      KvArrival arrived = arrival;
      if (arrived != null) {
        arrived.scopeEnded();
      }
    }
  }
}
