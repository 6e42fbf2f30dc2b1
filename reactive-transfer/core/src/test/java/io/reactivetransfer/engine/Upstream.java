package io.reactivetransfer.engine;

import java.util.function.LongConsumer;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A publisher that emits what the test says, when the test says, asked for or not. */
public final class Upstream<T> implements Publisher<T>, Subscription {

  private Subscriber<? super T> subscriber;
  private long requested;
  private long emitted;
  private int cancels;
  private LongConsumer onRequest = n -> {};

  /** Does this from within {@code request}. */
  public Upstream<T> onRequest(LongConsumer action) {
    this.onRequest = action;
    return this;
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    this.subscriber = subscriber;
    subscriber.onSubscribe(this);
  }

  @Override
  public void request(long n) {
    requested += n;
    onRequest.accept(n);
  }

  @Override
  public void cancel() {
    cancels++;
  }

  public void emit(T item) {
    emitted++;
    subscriber.onNext(item);
  }

  public void complete() {
    subscriber.onComplete();
  }

  public void fail(Throwable failure) {
    subscriber.onError(failure);
  }

  public long requested() {
    return requested;
  }

  /** Asked for and not emitted yet. */
  long owed() {
    return requested - emitted;
  }

  public boolean isCancelled() {
    return cancels > 0;
  }
}
