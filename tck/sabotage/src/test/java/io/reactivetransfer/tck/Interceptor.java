package io.reactivetransfer.tck;

import java.util.function.Function;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Stands between a publisher and its subscriber and passes everything on; the base of what does
 * not.
 */
class Interceptor<T> implements CoreSubscriber<T>, Subscription {

  final CoreSubscriber<? super T> actual;
  Subscription upstream = Operators.emptySubscription();

  Interceptor(CoreSubscriber<? super T> actual) {
    this.actual = actual;
  }

  static <T> Mono<T> on(
      Mono<T> source, Function<CoreSubscriber<? super T>, Interceptor<T>> interceptor) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(interceptor.apply(actual));
      }
    };
  }

  static <T> Flux<T> on(
      Flux<T> source, Function<CoreSubscriber<? super T>, Interceptor<T>> interceptor) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(interceptor.apply(actual));
      }
    };
  }

  /** Cancelling drops the signals, and nobody below hears of it. */
  static <T> Mono<T> deaf(Mono<T> source) {
    return on(
        source,
        actual ->
            new Interceptor<>(actual) {
              private volatile boolean cancelled;

              @Override
              public void cancel() {
                cancelled = true;
              }

              @Override
              public void onNext(T value) {
                if (!cancelled) {
                  super.onNext(value);
                }
              }

              @Override
              public void onComplete() {
                if (!cancelled) {
                  super.onComplete();
                }
              }

              @Override
              public void onError(Throwable t) {
                if (!cancelled) {
                  super.onError(t);
                }
              }
            });
  }

  @Override
  public Context currentContext() {
    return actual.currentContext();
  }

  @Override
  public void onSubscribe(Subscription s) {
    upstream = s;
    actual.onSubscribe(this);
  }

  @Override
  public void onNext(T value) {
    actual.onNext(value);
  }

  @Override
  public void onError(Throwable t) {
    actual.onError(t);
  }

  @Override
  public void onComplete() {
    actual.onComplete();
  }

  @Override
  public void request(long n) {
    upstream.request(n);
  }

  @Override
  public void cancel() {
    upstream.cancel();
  }
}
