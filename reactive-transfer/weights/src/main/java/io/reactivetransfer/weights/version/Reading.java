package io.reactivetransfer.weights.version;

import io.reactivetransfer.weights.internal.Listener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.context.Context;

/**
 * One read under a lease, which is closed before the end is said, or behind a cancel. Makes an
 * error signal of whatever the scope or the subscriber throws: Reactor throws what it holds to be
 * fatal, a missing class for instance, through all operators, past those who wait for a signal.
 *
 * <p>Keeps signals apart even if the scope throws on one thread while it emits on another one. It
 * waits for its version by itself: what Reactor's operators subscribe to one behind the other may
 * miss a cancel that comes at that moment, and its lease would never be closed.
 *
 * @param <T> what the scope emits
 */
final class Reading<T> implements CoreSubscriber<T>, Subscription {

  private static final Logger LOG = Loggers.getLogger(Reading.class);

  /** Set when it has ended; below it, how many elements are being passed on, one in another. */
  private static final int ENDED = Integer.MIN_VALUE;

  private final Supplier<@Nullable VersionLease> leases;
  private final Function<? super VersionLease, ? extends @Nullable Publisher<T>> scope;
  private final CoreSubscriber<? super T> actual;
  private final AtomicInteger state = new AtomicInteger();
  private final Disposable.Swap waiting = Disposables.swap();

  /** Of the scope; the one that is cancelled from a cancel on. */
  private final AtomicReference<@Nullable Subscription> upstream = new AtomicReference<>();

  /** How many elements were asked for that the scope was not asked for. */
  private final AtomicLong requested = new AtomicLong();

  private volatile boolean isCancelled;

  /** Set once, when a version is served. */
  private volatile @Nullable VersionLease lease;

  /** Whether the scope has been called, so that a cancel tells it by its subscription. */
  private volatile boolean isBegun;

  private volatile @Nullable Throwable failure;

  private Reading(
      Supplier<@Nullable VersionLease> leases,
      Function<? super VersionLease, ? extends @Nullable Publisher<T>> scope,
      CoreSubscriber<? super T> actual) {
    this.leases = leases;
    this.scope = scope;
    this.actual = actual;
  }

  /**
   * Waits, reads, and closes the lease behind it.
   *
   * @param serving completes when there may be a lease
   * @param leases gives one, or null if there is none any more
   */
  static <T> void begin(
      Mono<Void> serving,
      Supplier<@Nullable VersionLease> leases,
      Function<? super VersionLease, ? extends @Nullable Publisher<T>> scope,
      CoreSubscriber<? super T> actual) {
    Reading<T> reading = new Reading<>(leases, scope, actual);
    try {
      actual.onSubscribe(reading);
    } catch (Throwable thrown) {
      reading.fail(thrown);
      return;
    }
    if (!reading.isCancelled) {
      reading.await(serving);
    }
  }

  private void await(Mono<Void> serving) {
    Mono<Void> begun =
        serving
            .doOnSuccess(nothing -> tryToBegin())
            .repeat(() -> lease == null && !isCancelled)
            .then();
    waiting.update(Listener.ofEnd(begun, actual.currentContext(), () -> {}, this::fail));
  }

  /** Does nothing if no version is served any more. */
  private void tryToBegin() {
    VersionLease given;
    try {
      given = isCancelled ? null : leases.get();
    } catch (Throwable thrown) {
      fail(thrown);
      hasBegun();
      return;
    }
    if (given == null) {
      return;
    }
    lease = given;
    try {
      if (!isCancelled) {
        Publisher<T> publisher = scope.apply(given);
        if (publisher == null) {
          throw new NullPointerException("expected a publisher of the scope, got null");
        }
        publisher.subscribe(this);
      }
    } catch (Throwable thrown) {
      fail(thrown);
    } finally {
      hasBegun();
    }
  }

  /** What was cancelled before left the lease open for the scope. */
  private void hasBegun() {
    isBegun = true;
    if (isCancelled) {
      closeLease();
    }
  }

  private void closeLease() {
    VersionLease given = lease;
    if (given != null) {
      given.close();
    }
  }

  @Override
  public Context currentContext() {
    return actual.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    try {
      if (!upstream.compareAndSet(null, subscription)) {
        subscription.cancel();
        return;
      }
      hasBegun();
      request(subscription);
    } catch (Throwable thrown) {
      fail(thrown);
    }
  }

  @Override
  public void onNext(T element) {
    if (state.getAndUpdate(now -> now < 0 ? now : now + 1) < 0) {
      Operators.onDiscard(element, actual.currentContext());
      return;
    }
    try {
      actual.onNext(element);
    } catch (Throwable thrown) {
      said("a subscriber has thrown in onNext, which it must not: its read is over", thrown);
      fail(thrown);
    } finally {
      if (state.decrementAndGet() == ENDED) {
        end();
      }
    }
  }

  @Override
  public void onError(Throwable why) {
    over(why);
  }

  @Override
  public void onComplete() {
    over(null);
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n)) {
      return;
    }
    requested.accumulateAndGet(n, Operators::addCap);
    Subscription current = upstream.get();
    if (current != null) {
      try {
        request(current);
      } catch (Throwable thrown) {
        fail(thrown);
      }
    }
  }

  private void request(Subscription from) {
    long n = requested.getAndSet(0);
    if (n > 0) {
      from.request(n);
    }
  }

  @Override
  public void cancel() {
    isCancelled = true;
    waiting.dispose();
    Subscription current = upstream.getAndSet(Operators.cancelledSubscription());
    try {
      if (current != null) {
        current.cancel();
      }
    } catch (Throwable thrown) {
      said("could not cancel what reads a version", thrown);
    } finally {
      if (isBegun) {
        closeLease();
      }
    }
  }

  private void fail(Throwable thrown) {
    cancel();
    if (!over(thrown)) {
      said("what reads a version has thrown behind its end, which it must not", thrown);
    }
  }

  /** If that is possible, which it is not if an exception cannot say what it is. */
  private static void said(String what, Throwable thrown) {
    try {
      LOG.warn(what, thrown);
    } catch (Throwable unsaid) {
      // What is to be done besides is more important.
    }
  }

  /** The first end counts, and waits for an element that is being passed on. */
  private boolean over(@Nullable Throwable why) {
    if (state.get() < 0) {
      return false;
    }
    if (failure == null) {
      failure = why;
    }
    int before = state.getAndUpdate(now -> now | ENDED);
    if (before == 0) {
      end();
    }
    return before >= 0;
  }

  private void end() {
    closeLease();
    Throwable why = failure;
    try {
      if (why == null) {
        actual.onComplete();
      } else {
        actual.onError(why);
      }
    } catch (Throwable thrown) {
      said("a subscriber has thrown what it must not", thrown);
    }
  }
}
