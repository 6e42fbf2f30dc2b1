package io.reactivetransfer.engine.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that writes down what it gets, and asks for no more than it is told to. */
public final class Probe<T> implements CoreSubscriber<T> {

  /** A reason of a peer, and what is said around it. */
  private static final int MAX_MESSAGE_CHARS = 1_000;

  private final List<T> items = new ArrayList<>();
  private final List<Throwable> errors = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private int completions;
  private long requested;
  private volatile boolean cancelled;
  private volatile Subscription subscription;
  private Consumer<Probe<T>> onSubscription = probe -> {};
  private BiConsumer<Probe<T>, T> onItem = (probe, item) -> {};
  private Consumer<Probe<T>> onEnd = probe -> {};

  /** Asks for this many at once; for none if it is 0. */
  public Probe(long initial) {
    if (initial > 0) {
      onSubscription = probe -> probe.request(initial);
    }
  }

  public static <T> Probe<T> unbounded() {
    return new Probe<>(Long.MAX_VALUE);
  }

  /** Does this from within {@code onSubscribe}, instead of asking for the first ones. */
  public Probe<T> onSubscription(Consumer<Probe<T>> action) {
    this.onSubscription = action;
    return this;
  }

  /** Does this from within {@code onNext}. */
  public Probe<T> onItem(BiConsumer<Probe<T>, T> action) {
    this.onItem = action;
    return this;
  }

  /** Does this from within the terminal signal. */
  public Probe<T> onEnd(Consumer<Probe<T>> action) {
    this.onEnd = action;
    return this;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (this.subscription != null) {
      note("subscribed twice");
    }
    this.subscription = subscription;
    onSubscription.accept(this);
  }

  @Override
  public void onNext(T item) {
    synchronized (this) {
      if (terminals() > 0) {
        note("onNext after the end: " + item);
      }
      items.add(item);
      if (items.size() > requested) {
        note("more than the " + requested + " that were asked for: " + item);
      }
    }
    onItem.accept(this, item);
  }

  @Override
  public void onError(Throwable error) {
    synchronized (this) {
      errors.add(error);
      noteEnd("onError: " + error);
    }
    onEnd.accept(this);
  }

  @Override
  public void onComplete() {
    synchronized (this) {
      completions++;
      noteEnd("onComplete");
    }
    onEnd.accept(this);
  }

  private void noteEnd(String signal) {
    if (terminals() > 1) {
      note("a second end: " + signal);
    }
    if (subscription == null) {
      note("an end without onSubscribe: " + signal);
    }
    end.countDown();
  }

  private synchronized void note(String defect) {
    wrong.add(defect);
  }

  /** Asks for more; also for what must not be asked for. */
  public void request(long n) {
    synchronized (this) {
      long sum = requested + Math.max(0, n);
      requested = sum < 0 ? Long.MAX_VALUE : sum;
    }
    subscription.request(n);
  }

  public void cancel() {
    cancelled = true;
    subscription.cancel();
  }

  public synchronized List<T> items() {
    return List.copyOf(items);
  }

  public synchronized int count() {
    return items.size();
  }

  public synchronized int terminals() {
    return errors.size() + completions;
  }

  public boolean isCancelled() {
    return cancelled;
  }

  public synchronized boolean isComplete() {
    return completions == 1;
  }

  /** The error it ended with. */
  public synchronized Throwable error() {
    assertThat(errors).as("errors; %d onComplete", completions).hasSize(1);
    return errors.getFirst();
  }

  /** Nothing has ended it so far. */
  public Probe<T> assertOpen() {
    synchronized (this) {
      assertThat(errors).isEmpty();
      assertThat(completions).as("onComplete").isZero();
    }
    return this;
  }

  public Probe<T> assertComplete() {
    synchronized (this) {
      assertThat(errors).isEmpty();
      assertThat(completions).as("onComplete").isEqualTo(1);
    }
    return this;
  }

  /** It got what Reactive Streams allows, with an end unless it was cancelled. */
  public synchronized void assertLawful() {
    assertThat(wrong).isEmpty();
    if (!cancelled && subscription != null) {
      assertThat(terminals()).as("terminal signals of %s", this).isEqualTo(1);
    }
  }

  /** Whatever a peer said of it. */
  public synchronized void assertFitToBeShown() {
    for (Throwable error : errors) {
      assertThat(Signals.textOf(error))
          .doesNotContainPattern("[\\p{C}\\p{Zl}\\p{Zp}]")
          .hasSizeLessThan(MAX_MESSAGE_CHARS);
    }
  }

  public boolean awaitEnd(long seconds) throws InterruptedException {
    return end.await(seconds, TimeUnit.SECONDS);
  }

  @Override
  public synchronized String toString() {
    return items.size() + " items, errors " + errors + ", " + completions + " completions";
  }
}
