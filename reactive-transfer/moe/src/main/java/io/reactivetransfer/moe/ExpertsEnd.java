package io.reactivetransfer.moe;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Waits for the end of what experts compute, however many elements they emit, and makes an error
 * signal of whatever they throw at the thread that subscribes. Reactor throws what it holds to be
 * fatal, a missing class for instance, through all operators, past those who wait for a signal; so
 * that comes as the cause of an {@link IllegalStateException}.
 */
final class ExpertsEnd implements CoreSubscriber<Object>, Disposable {

  private final MonoSink<Void> sink;
  private volatile @Nullable Subscription upstream;
  private volatile boolean isDisposed;

  private ExpertsEnd(MonoSink<Void> sink) {
    this.sink = sink;
  }

  /** Completes when they have; cancelling cancels them. */
  static Mono<Void> of(Supplier<? extends @Nullable Publisher<?>> experts) {
    return Mono.create(sink -> {
      ExpertsEnd end = new ExpertsEnd(sink);
      sink.onCancel(end);
      try {
        Publisher<?> publisher = experts.get();
        if (publisher == null) {
          throw new NullPointerException("expected a publisher of the experts, got null");
        }
        publisher.subscribe(end);
      } catch (Throwable thrown) {
        end.onError(thrown);
      }
    });
  }

  @Override
  public Context currentContext() {
    return Context.of(sink.contextView());
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (!Operators.validate(upstream, subscription)) {
      return;
    }
    upstream = subscription;
    if (isDisposed) {
      subscription.cancel();
    } else {
      subscription.request(Long.MAX_VALUE);
    }
  }

  @Override
  public void onNext(Object element) {}

  @Override
  public void onError(Throwable why) {
    sink.error(
        Exceptions.isFatal(why) || Exceptions.isJvmFatal(why)
            ? new IllegalStateException("the experts have thrown " + Thrown.textOf(why), why)
            : why);
  }

  @Override
  public void onComplete() {
    sink.success();
  }

  @Override
  public void dispose() {
    isDisposed = true;
    Subscription current = upstream;
    if (current != null) {
      current.cancel();
    }
  }

  @Override
  public boolean isDisposed() {
    return isDisposed;
  }
}
