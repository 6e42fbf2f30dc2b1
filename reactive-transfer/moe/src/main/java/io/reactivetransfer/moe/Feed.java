package io.reactivetransfer.moe;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * What turns give to a stream of the engine that lives as long as the group: without an end, and
 * without allocating anything for an element. One subscriber.
 */
final class Feed<T> implements Publisher<T>, Subscription {

  private final @Nullable Object[] ring;
  private final AtomicLong demand = new AtomicLong();
  private final AtomicInteger missed = new AtomicInteger();
  private @Nullable Subscriber<? super T> subscriber;
  private volatile boolean isCancelled;

  /**
   * Moved in turns. Whoever emits may be asked for more at any moment, so what was given is
   * published with it.
   */
  private final AtomicLong given = new AtomicLong();

  /** Moved by whoever emits. */
  private long emitted;

  /**
   * None yet.
   *
   * @param capacity how many may be given that are not emitted
   */
  Feed(int capacity) {
    ring = new Object[Integer.highestOneBit(Math.max(1, 2 * capacity - 1))];
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
    subscriber.onSubscribe(this);
  }

  /** Gives one more; {@link #emit} makes it go. In a turn. */
  void give(T element) {
    long at = given.getPlain();
    ring[(int) at & ring.length - 1] = element;
    given.setRelease(at + 1);
  }

  @Override
  public void request(long n) {
    if (Operators.validate(n)) {
      demand.getAndUpdate(m -> Operators.addCap(m, n));
      emit();
    }
  }

  @Override
  public void cancel() {
    isCancelled = true;
  }

  /** Emits what was given and asked for. */
  void emit() {
    if (missed.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      long most = Math.min(given.getAcquire() - emitted, demand.get());
      for (long i = 0; i < most && !isCancelled; i++) {
        emitNext();
      }
      if (most > 0) {
        demand.getAndUpdate(n -> n == Long.MAX_VALUE ? n : n - most);
      }
      seen = missed.addAndGet(-seen);
    } while (seen != 0);
  }

  @SuppressWarnings("unchecked") // nothing else was given
  private void emitNext() {
    int at = (int) emitted & ring.length - 1;
    Object next = ring[at];
    emitted++;
    Subscriber<? super T> to = subscriber;
    if (to != null) {
      to.onNext((T) Objects.requireNonNull(next));
    }
  }
}
