package io.reactivetransfer.moe;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

/**
 * The end of something, told to all who wait for it. Reactor throws what one of them throws into
 * whoever tells, past those behind it; here it ends nobody else's wait. Safe from any thread.
 */
final class End extends Mono<Void> {

  private final Sinks.Empty<Void> sink = Sinks.empty();

  /** It is over; only the first end counts. */
  void complete() {
    sink.tryEmitEmpty();
  }

  /** It has failed; only the first end counts. */
  void fail(Throwable why) {
    sink.tryEmitError(why);
  }

  @Override
  public void subscribe(CoreSubscriber<? super Void> actual) {
    sink.asMono().subscribe(new Apart(actual));
  }

  /** One who waits, whose signals return whatever it throws. */
  private record Apart(CoreSubscriber<? super Void> actual) implements CoreSubscriber<Void> {

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      actual.onSubscribe(subscription);
    }

    @Override
    public void onNext(Void nothing) {
      throw new IllegalStateException("expected no element of what has none");
    }

    @Override
    public void onError(Throwable why) {
      try {
        actual.onError(why);
      } catch (Throwable thrown) {
        Thrown.log(thrown);
      }
    }

    @Override
    public void onComplete() {
      try {
        actual.onComplete();
      } catch (Throwable thrown) {
        Thrown.log(thrown);
      }
    }
  }
}
