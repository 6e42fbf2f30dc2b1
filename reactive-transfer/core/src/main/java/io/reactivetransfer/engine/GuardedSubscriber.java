package io.reactivetransfer.engine;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.util.context.Context;

/**
 * Stands before a subscriber that operators of Reactor serve, and ends it with what it throws:
 * these leave whoever throws out of {@code onNext} without an end.
 */
final class GuardedSubscriber<T> implements CoreSubscriber<T>, Subscription {

  private final CoreSubscriber<? super T> actual;
  private final Runnable left;
  private @Nullable Subscription upstream;
  private boolean ended;

  /**
   * Before a subscriber.
   *
   * @param left what is done when it has an end, or cancels; may be done more than once
   */
  GuardedSubscriber(CoreSubscriber<? super T> actual, Runnable left) {
    this.actual = actual;
    this.left = left;
  }

  @Override
  public Context currentContext() {
    return actual.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    upstream = subscription;
    actual.onSubscribe(this);
  }

  @Override
  public void onNext(T item) {
    if (ended) {
      return;
    }
    try {
      actual.onNext(item);
    } catch (Throwable failure) {
      cancel();
      ended = true;
      Signals.error(actual, failure);
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!ended) {
      ended = true;
      left.run();
      Signals.error(actual, failure);
    }
  }

  @Override
  public void onComplete() {
    if (!ended) {
      ended = true;
      left.run();
      Signals.complete(actual);
    }
  }

  @Override
  public void request(long n) {
    Flight.known(upstream).request(n);
  }

  @Override
  public void cancel() {
    Flight.known(upstream).cancel();
    left.run();
  }
}
