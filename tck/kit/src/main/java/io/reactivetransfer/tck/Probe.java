package io.reactivetransfer.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * A subscriber that keeps every signal, asks for exactly what it is told to, and can wait for a
 * signal or for silence. It never throws into the publisher; what broke the protocol is kept as a
 * fault.
 */
final class Probe<T> implements CoreSubscriber<T> {

  private final String name;
  private final Patience patience;
  private final List<T> values = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private @Nullable Subscription subscription;
  private @Nullable Throwable error;
  private long demand;
  private int terminals;

  private Probe(String name, Patience patience, long demand) {
    this.name = name;
    this.patience = patience;
    this.demand = demand;
  }

  /** Subscribes with this demand. */
  static <T> Probe<T> on(String name, Patience patience, Publisher<T> publisher, long demand) {
    Probe<T> probe = new Probe<>(name, patience, demand);
    publisher.subscribe(probe);
    return probe;
  }

  /** Subscribes, and cancels as soon as there is a subscription. */
  static <T> Probe<T> cancelling(String name, Patience patience, Publisher<T> publisher) {
    Probe<T> probe = new Probe<>(name, patience, -1);
    publisher.subscribe(probe);
    return probe;
  }

  @Override
  public void onSubscribe(Subscription s) {
    long initial;
    synchronized (this) {
      if (subscription != null) {
        faults.add("a second onSubscribe");
        s.cancel();
        return;
      }
      subscription = s;
      initial = demand;
      notifyAll();
    }
    if (initial > 0) {
      s.request(initial);
    } else if (initial < 0) {
      s.cancel();
    }
  }

  @Override
  public synchronized void onNext(T value) {
    if (terminals > 0) {
      faults.add("onNext after the terminal signal");
    }
    if (demand != Long.MAX_VALUE && values.size() >= demand) {
      faults.add("more than the " + demand + " elements that were asked for");
    }
    values.add(value);
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable t) {
    error = t;
    terminal("onError(" + t + ")");
  }

  @Override
  public synchronized void onComplete() {
    terminal("onComplete");
  }

  private void terminal(String signal) {
    terminals++;
    if (terminals > 1) {
      faults.add("terminal signal number " + terminals + ": " + signal);
    }
    notifyAll();
  }

  void request(long n) {
    synchronized (this) {
      demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
    }
    subscription().request(n);
  }

  void cancel() {
    subscription().cancel();
  }

  private synchronized Subscription subscription() {
    await("a subscription", () -> subscription != null);
    Subscription present = subscription;
    if (present == null) {
      throw new AssertionError(name + ": expected onSubscribe, got " + soFar());
    }
    return present;
  }

  synchronized List<T> values() {
    return List.copyOf(values);
  }

  synchronized boolean isTerminated() {
    return terminals > 0;
  }

  /** Waits for that many values in all, and returns them. */
  synchronized List<T> awaitValues(int count) {
    await(count + " values", () -> values.size() >= count || terminals > 0);
    if (values.size() < count) {
      throw unexpected(count + " values");
    }
    return List.copyOf(values);
  }

  /** Waits for the terminal signal, which must be completion, and returns the values. */
  synchronized List<T> awaitCompletion() {
    await("completion", () -> terminals > 0);
    if (error != null) {
      throw unexpected("completion");
    }
    return List.copyOf(values);
  }

  /** Waits for completion with exactly one value, and returns it. */
  T awaitOne() {
    List<T> all = awaitCompletion();
    if (all.size() != 1) {
      throw new AssertionError(name + ": expected one value, got " + soFar());
    }
    return all.getFirst();
  }

  /** Waits for the terminal signal, whichever it is. */
  synchronized void awaitTerminal() {
    await("a terminal signal", () -> terminals > 0);
  }

  /** Waits for the terminal signal, which must be an error of this type, and returns it. */
  synchronized <E extends Throwable> E awaitError(Class<E> type) {
    await("a " + type.getSimpleName(), () -> terminals > 0);
    if (!type.isInstance(error)) {
      throw unexpected("a " + type.getSimpleName());
    }
    return type.cast(error);
  }

  /** Watches that nothing is signalled for a while. */
  synchronized void assertSilent() {
    int seen = values.size();
    if (terminals > 0
        || patience.happens(
            this, () -> terminals > 0 || values.size() > seen, patience.silence())) {
      throw unexpected("silence after " + seen + " values");
    }
  }

  /** Fails if there was a terminal signal. */
  synchronized void assertPending() {
    if (terminals > 0) {
      throw unexpected("no terminal signal");
    }
  }

  /** Fails if there was not exactly one terminal signal, or anything else against the protocol. */
  synchronized void assertOneTerminalSignal() {
    if (terminals != 1 || !faults.isEmpty()) {
      throw new AssertionError(
          name + ": expected one terminal signal, got " + terminals + " and " + faults);
    }
  }

  private synchronized void await(String what, BooleanSupplier condition) {
    if (!patience.happens(this, condition, patience.signal())) {
      throw unexpected(what + " within " + patience.signal());
    }
  }

  private AssertionError unexpected(String expected) {
    AssertionError failure =
        new AssertionError(name + ": expected " + expected + ", got " + soFar());
    if (error != null) {
      failure.initCause(error);
    }
    return failure;
  }

  /** To be said last: the text of an error may be long. */
  private synchronized String soFar() {
    String end = terminals == 0 ? "no terminal signal" : error == null ? "completion" : "" + error;
    return values.size() + " values and " + end;
  }
}
