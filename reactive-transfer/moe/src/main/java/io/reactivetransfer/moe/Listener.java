package io.reactivetransfer.moe;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;

/**
 * Listens to a publisher until it is disposed of. Unlike the subscribers that Reactor makes from
 * lambdas it drops nothing on Reactor's hooks: a failure that comes when nobody listens any more is
 * nobody's business.
 */
final class Listener<T> implements CoreSubscriber<T>, Disposable {

  private final Consumer<? super T> next;
  private final Runnable completed;
  private final Consumer<Throwable> failed;
  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();
  private volatile boolean isOver;

  private Listener(Consumer<? super T> next, Runnable completed, Consumer<Throwable> failed) {
    this.next = next;
    this.completed = completed;
    this.failed = failed;
  }

  /**
   * Subscribes; whoever is called may be called after {@link #dispose()} when both come at once.
   */
  static <T> Listener<T> of(
      Publisher<T> publisher,
      Consumer<? super T> next,
      Runnable completed,
      Consumer<Throwable> failed) {
    Listener<T> listener = new Listener<>(next, completed, failed);
    publisher.subscribe(listener);
    return listener;
  }

  /** The same for whoever waits for the end alone. */
  static <T> Listener<T> ofEnd(
      Publisher<T> publisher, Runnable completed, Consumer<Throwable> failed) {
    return of(publisher, ignored -> {}, completed, failed);
  }

  @Override
  public void onSubscribe(Subscription upstream) {
    if (isOver || !subscription.compareAndSet(null, upstream)) {
      upstream.cancel();
      return;
    }
    upstream.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T element) {
    if (!isOver) {
      next.accept(element);
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (!isOver) {
      end();
      failed.accept(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!isOver) {
      end();
      completed.run();
    }
  }

  /** What has ended by itself is not cancelled any more: that would tell others that it was. */
  private void end() {
    isOver = true;
    subscription.set(Operators.cancelledSubscription());
  }

  @Override
  public void dispose() {
    isOver = true;
    Subscription upstream = subscription.getAndSet(Operators.cancelledSubscription());
    if (upstream != null) {
      upstream.cancel();
    }
  }

  @Override
  public boolean isDisposed() {
    return isOver;
  }
}
