package io.reactivetransfer.tcp.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Takes everything, counts it, and counts the ends: there must be one. */
public final class Recorder implements CoreSubscriber<Object> {

  private final String name;
  private final AtomicLong values = new AtomicLong();
  private final AtomicInteger ends = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private final CompletableFuture<String> end = new CompletableFuture<>();

  private Recorder(String name) {
    this.name = name;
  }

  public static Recorder of(String name, Publisher<?> publisher) {
    Recorder recorder = new Recorder(name);
    publisher.subscribe(recorder);
    return recorder;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Object value) {
    values.incrementAndGet();
    if (ends.get() > 0) {
      late.incrementAndGet();
    }
  }

  @Override
  public void onError(Throwable error) {
    ends.incrementAndGet();
    end.complete(error.toString());
  }

  @Override
  public void onComplete() {
    ends.incrementAndGet();
    end.complete("completion");
  }

  /** For a failure: how far it has come. */
  @Override
  public String toString() {
    return name + ": " + values + " values, " + ends + " ends, " + end.getNow("none yet");
  }

  public long values() {
    return values.get();
  }

  /** Whether so many have come and another one; fails if it has ended, for no more will come. */
  public boolean hasMoreThan(long count) {
    if (end.isDone()) {
      throw new AssertionError(this + ", expected more than " + count + " values before that");
    }
    return values.get() > count;
  }

  /** How it ended, which must be soon. */
  public String end(Duration within) {
    try {
      return end.copy().orTimeout(within.toMillis(), TimeUnit.MILLISECONDS).join();
    } catch (RuntimeException e) {
      throw new AssertionError(this + ", not within " + within, e);
    }
  }

  /** Fails unless it has ended once, and nothing came after that. */
  public void assertEndedOnce() {
    if (ends.get() != 1 || late.get() != 0) {
      throw new AssertionError(
          name + " ended " + ends + " times, and " + late + " values came after the first");
    }
  }
}
