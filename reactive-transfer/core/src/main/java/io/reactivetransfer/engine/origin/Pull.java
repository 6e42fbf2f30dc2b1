package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.Signals;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * What a stream asks of its upstream: no more than both downstream and the window allow. Upstream
 * may do all its work within our request, and may even wait in there for what downstream gives
 * back; so whoever asks must hold nothing that emitting needs.
 */
final class Pull {

  private final int window;
  private final Consumer<Throwable> misuse;
  private final AtomicReference<@Nullable Subscription> upstream = new AtomicReference<>();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicLong emitted = new AtomicLong();
  private final AtomicInteger asking = new AtomicInteger();
  private volatile long asked;
  private volatile boolean cancelled;

  /**
   * Nothing is asked for yet.
   *
   * @param misuse told when upstream throws something
   */
  Pull(int window, Consumer<Throwable> misuse) {
    this.window = window;
    this.misuse = misuse;
  }

  /** Takes upstream; false if there is one already, or none is wanted any more. */
  boolean from(Subscription subscription) {
    if (upstream.compareAndSet(null, subscription)) {
      return true;
    }
    subscription.cancel();
    if (!Operators.cancelledSubscription().equals(upstream.get())) {
      Operators.reportSubscriptionSet();
    }
    return false;
  }

  /** Takes no upstream from now on; false if there is one. */
  boolean refuse() {
    return upstream.compareAndSet(null, Operators.cancelledSubscription());
  }

  /** Downstream wants so many more. */
  void wanted(long n) {
    demand.accumulateAndGet(n, Operators::addCap);
  }

  /** So many were emitted. By whoever emits, one at a time. */
  void emitted(long n) {
    emitted.setRelease(emitted.getPlain() + n);
  }

  /** Where the elements come from, once that is known. */
  @Nullable Subscription upstream() {
    return upstream.get();
  }

  /** How many downstream wants and has not got. */
  long outstanding() {
    long wanted = demand.get();
    return wanted == Long.MAX_VALUE ? wanted : wanted - emitted.getAcquire();
  }

  /** How many upstream was asked for. */
  long asked() {
    return asked;
  }

  /** Asks for no more, and has upstream emit no more. */
  void cancel() {
    cancelled = true;
    Subscription source = upstream.get();
    if (source != null) {
      try {
        source.cancel();
      } catch (Throwable failure) {
        Signals.thrown(failure);
      }
    }
  }

  /**
   * Asks for what is allowed now. One at a time, from any thread; who comes while another one asks
   * leaves it to him.
   *
   * @return false if more may be allowed meanwhile
   */
  boolean ask() {
    if (asking.getAndIncrement() != 0) {
      return true;
    }
    int seen = asking.get();
    long room = emitted.getAcquire() + window;
    long limit = Math.min(demand.get(), room);
    long batch = limit - asked;
    // a full window is refilled in quarters, so that upstream is not asked for each element
    boolean worthwhile = limit < room || batch >= (window + 3) >>> 2;
    Subscription source = upstream.get();
    if (batch > 0 && worthwhile && !cancelled && source != null) {
      asked = limit;
      try {
        source.request(batch);
      } catch (Throwable failure) {
        misuse.accept(failure);
      }
    }
    return asking.getAndSet(0) == seen;
  }
}
