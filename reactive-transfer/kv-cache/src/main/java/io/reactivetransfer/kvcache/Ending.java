package io.reactivetransfer.kvcache;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Operators;

/**
 * Waits for the end of a publisher, whatever it emits. Unlike the subscribers that Reactor makes
 * from lambdas it drops nothing on Reactor's hooks: one of several that race may be disposed of
 * while its publisher fails, and that failure is then nobody's business.
 */
final class Ending implements CoreSubscriber<Object>, Disposable {

  private final Runnable completed;
  private final Consumer<Throwable> failed;
  private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();
  private volatile boolean over;

  private Ending(Runnable completed, Consumer<Throwable> failed) {
    this.completed = completed;
    this.failed = failed;
  }

  /**
   * Subscribes.
   *
   * @param completed may be called after {@link #dispose()}, when both come at once
   * @param failed the same
   */
  static Ending of(Publisher<?> publisher, Runnable completed, Consumer<Throwable> failed) {
    Ending ending = new Ending(completed, failed);
    publisher.subscribe(ending);
    return ending;
  }

  @Override
  public void onSubscribe(Subscription upstream) {
    if (over || !subscription.compareAndSet(null, upstream)) {
      upstream.cancel();
      return;
    }
    upstream.request(Long.MAX_VALUE);
    if (over) {
      upstream.cancel();
    }
  }

  @Override
  public void onNext(Object ignored) {
    // Only the end counts.
  }

  @Override
  public void onError(Throwable failure) {
    over = true;
    failed.accept(failure);
  }

  @Override
  public void onComplete() {
    over = true;
    completed.run();
  }

  @Override
  public void dispose() {
    over = true;
    Subscription upstream = subscription.getAndSet(Operators.cancelledSubscription());
    if (upstream != null) {
      upstream.cancel();
    }
  }

  @Override
  public boolean isDisposed() {
    return over;
  }
}
