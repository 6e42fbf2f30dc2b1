package io.reactivetransfer.weights.version;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.context.Context;

/**
 * One read under a lease, which is closed before the end is said, or behind a cancel. Makes an
 * error signal of whatever the scope or the subscriber throws: Reactor throws what it holds to be
 * fatal, a missing class for instance, through all operators, past those who wait for a signal.
 *
 * <p>Keeps signals apart even if the scope throws on one thread while it emits on another one.
 *
 * @param <T> what the scope emits
 */
final class Reading<T> implements CoreSubscriber<T>, Subscription {

  private static final Logger LOG = Loggers.getLogger(Reading.class);

  /** Set when it has ended; below it, how many elements are being passed on, one in another. */
  private static final int ENDED = Integer.MIN_VALUE;

  private final CoreSubscriber<? super T> actual;
  private final VersionLease lease;
  private final AtomicInteger state = new AtomicInteger();
  private volatile @Nullable Subscription upstream;
  private volatile @Nullable Throwable failure;

  private Reading(CoreSubscriber<? super T> actual, VersionLease lease) {
    this.actual = actual;
    this.lease = lease;
  }

  /** Reads, and closes the lease behind it. */
  static <T> void begin(
      VersionLease lease,
      Function<? super VersionLease, ? extends @Nullable Publisher<T>> scope,
      CoreSubscriber<? super T> actual) {
    Reading<T> reading = new Reading<>(actual, lease);
    try {
      Publisher<T> publisher = scope.apply(lease);
      if (publisher == null) {
        throw new NullPointerException("expected a publisher of the scope, got null");
      }
      publisher.subscribe(reading);
    } catch (Throwable thrown) {
      reading.notSubscribed(thrown);
    }
  }

  private void notSubscribed(Throwable thrown) {
    if (upstream != null) {
      fail(thrown);
      return;
    }
    upstream = Operators.cancelledSubscription();
    lease.close();
    Operators.error(actual, thrown);
  }

  @Override
  public Context currentContext() {
    return actual.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (!Operators.validate(upstream, subscription)) {
      return;
    }
    upstream = subscription;
    try {
      actual.onSubscribe(this);
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
    try {
      subscription().request(n);
    } catch (Throwable thrown) {
      fail(thrown);
    }
  }

  @Override
  public void cancel() {
    try {
      subscription().cancel();
    } catch (Throwable thrown) {
      said("could not cancel what reads a version", thrown);
    } finally {
      lease.close();
    }
  }

  private Subscription subscription() {
    Subscription current = upstream;
    return current == null ? Operators.cancelledSubscription() : current;
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
    lease.close();
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
