package io.reactivetransfer.tck;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A source of elements that emits what it was given as soon as it is asked for, and remembers what
 * it was asked. For one subscriber.
 */
final class Upstream<T> implements Publisher<T>, Subscription {

  private final Queue<T> elements = new ArrayDeque<>();
  private @Nullable Subscriber<? super T> subscriber;
  private @Nullable Throwable error;
  private long requested;
  private long emitted;
  private boolean ended;
  private boolean cancelled;
  private boolean draining;
  private boolean terminated;

  /** One that emits these and completes. */
  static <T> Upstream<T> of(List<? extends T> elements) {
    Upstream<T> upstream = open(elements);
    upstream.complete();
    return upstream;
  }

  /** One that emits these and can be given more. */
  static <T> Upstream<T> open(List<? extends T> elements) {
    Upstream<T> upstream = new Upstream<>();
    upstream.elements.addAll(elements);
    return upstream;
  }

  void emit(T element) {
    synchronized (this) {
      elements.add(element);
    }
    drain();
  }

  void complete() {
    synchronized (this) {
      ended = true;
    }
    drain();
  }

  void fail(Throwable reason) {
    synchronized (this) {
      ended = true;
      error = reason;
    }
    drain();
  }

  /** How many elements were asked for in all. */
  synchronized long requested() {
    return requested;
  }

  synchronized boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void subscribe(Subscriber<? super T> actual) {
    synchronized (this) {
      if (subscriber != null) {
        throw new IllegalStateException("expected one subscriber, got another one");
      }
      subscriber = actual;
    }
    actual.onSubscribe(this);
    drain();
  }

  @Override
  public void request(long n) {
    synchronized (this) {
      requested = requested + n < 0 ? Long.MAX_VALUE : requested + n;
    }
    drain();
  }

  @Override
  public synchronized void cancel() {
    cancelled = true;
  }

  /** Emits serially: whoever finds it emitting leaves the rest to that. */
  private void drain() {
    synchronized (this) {
      if (draining || subscriber == null) {
        return;
      }
      draining = true;
    }
    while (true) {
      Runnable signal;
      synchronized (this) {
        signal = nextSignal(subscriber);
        if (signal == null) {
          draining = false;
          return;
        }
      }
      signal.run();
    }
  }

  private @Nullable Runnable nextSignal(@Nullable Subscriber<? super T> actual) {
    if (cancelled || terminated || actual == null) {
      return null;
    }
    if (!elements.isEmpty()) {
      if (emitted == requested) {
        return null;
      }
      emitted++;
      T element = elements.remove();
      return () -> actual.onNext(element);
    }
    if (!ended) {
      return null;
    }
    terminated = true;
    Throwable reason = error;
    return reason == null ? actual::onComplete : () -> actual.onError(reason);
  }
}
