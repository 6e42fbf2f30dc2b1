package io.reactivetransfer.kvcache;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.context.Context;

/**
 * Stands between a user's code and ours, and makes an error signal of whatever one side throws. It
 * is needed because Reactor throws what it holds to be fatal, a missing class for instance, through
 * all operators: past those who wait for a signal, and into whoever happened to emit.
 *
 * <p>Keeps signals apart even if upstream throws on one thread while it emits on another one.
 */
final class Bulkhead<T> extends Flux<T> {

  private static final Logger LOG = Loggers.getLogger(Bulkhead.class);

  private final Supplier<? extends @Nullable Publisher<? extends T>> source;
  private final @Nullable Consumer<Throwable> stop;

  private Bulkhead(
      Supplier<? extends @Nullable Publisher<? extends T>> source,
      @Nullable Consumer<Throwable> stop) {
    this.source = source;
    this.stop = stop;
  }

  /**
   * Whoever throws ends the subscription: upstream is cancelled, and downstream gets what was
   * thrown.
   *
   * @param source asked once for each subscription; may throw, or return null
   */
  static <T> Flux<T> around(Supplier<? extends @Nullable Publisher<? extends T>> source) {
    return new Bulkhead<>(source, null);
  }

  /**
   * The same for a source that cannot stop at once: downstream gets what was thrown when the source
   * has ended.
   *
   * @param stop has the source come to its end
   */
  static <T> Flux<T> around(Publisher<? extends T> source, Consumer<Throwable> stop) {
    return new Bulkhead<>(() -> source, stop);
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    Passage<T> passage = new Passage<>(actual, stop);
    try {
      Publisher<? extends T> publisher = source.get();
      if (publisher == null) {
        throw new NullPointerException("expected a publisher of the function, got null");
      }
      publisher.subscribe(passage);
    } catch (Throwable failure) {
      passage.notSubscribed(failure);
    }
  }

  /** Signals that it is over to somebody who may throw, though he must not. */
  static void end(CoreSubscriber<?> actual, @Nullable Throwable failure) {
    try {
      if (failure == null) {
        actual.onComplete();
      } else {
        actual.onError(failure);
      }
    } catch (Throwable thrown) {
      unheard(thrown);
    }
  }

  /** Somebody's code has thrown something, and nobody is left to be told of it. */
  static void unheard(Throwable thrown) {
    said(() -> LOG.error("a subscriber or a publisher has thrown, which it must not", thrown));
  }

  /**
   * A subscriber has thrown in {@code onNext}, which ends its stream. It may not hear of that:
   * Reactor's wrapper of one that is no {@code CoreSubscriber} passes no signal on after it.
   */
  static void thrownInNext(Throwable thrown) {
    said(() ->
        LOG.warn(
            "a subscriber has thrown in onNext, which it must not: its stream is over", thrown));
  }

  /** Logs if that is possible, which it is not if an exception cannot say what it is. */
  static void said(Runnable logging) {
    try {
      logging.run();
    } catch (Throwable unsaid) {
      // What is to be done besides is more important.
    }
  }

  private static final class Passage<T> implements CoreSubscriber<T>, Subscription {

    /** Set when it has ended; below it, how many elements are being passed on, one in another. */
    private static final int ENDED = Integer.MIN_VALUE;

    private final CoreSubscriber<? super T> actual;
    private final @Nullable Consumer<Throwable> stop;
    private final AtomicInteger state = new AtomicInteger();
    private volatile @Nullable Subscription upstream;
    private volatile @Nullable Throwable failure;
    private volatile boolean stopping;

    Passage(CoreSubscriber<? super T> actual, @Nullable Consumer<Throwable> stop) {
      this.actual = actual;
      this.stop = stop;
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
        downstreamThrew(thrown);
      }
    }

    void notSubscribed(Throwable thrown) {
      if (upstream == null) {
        upstream = Operators.cancelledSubscription();
        Operators.error(actual, thrown);
      } else {
        fail(thrown);
      }
    }

    @Override
    public void onNext(T element) {
      if (stopping || state.getAndUpdate(s -> s < 0 ? s : s + 1) < 0) {
        Operators.onDiscard(element, actual.currentContext());
        return;
      }
      try {
        actual.onNext(element);
      } catch (Throwable thrown) {
        thrownInNext(thrown);
        downstreamThrew(thrown);
      } finally {
        if (state.decrementAndGet() == ENDED) {
          end(actual, failure);
        }
      }
    }

    @Override
    public void onError(Throwable reason) {
      over(reason);
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
        unheard(thrown);
      }
    }

    private Subscription subscription() {
      Subscription current = upstream;
      return current == null ? Operators.cancelledSubscription() : current;
    }

    private void downstreamThrew(Throwable thrown) {
      if (stop == null) {
        fail(thrown);
        return;
      }
      if (failure == null) {
        failure = thrown;
      }
      stopping = true;
      stop.accept(thrown);
      // The end comes behind what was done before, for which downstream will not ask any more.
      request(Long.MAX_VALUE);
    }

    private void fail(Throwable thrown) {
      cancel();
      if (!over(thrown)) {
        unheard(thrown);
      }
    }

    /** The first end counts, and waits for an element that is being passed on. */
    private boolean over(@Nullable Throwable reason) {
      if (state.get() < 0) {
        return false;
      }
      if (failure == null) {
        failure = reason;
      }
      int before = state.getAndUpdate(s -> s | ENDED);
      if (before == 0) {
        end(actual, failure);
      }
      return before >= 0;
    }
  }
}
