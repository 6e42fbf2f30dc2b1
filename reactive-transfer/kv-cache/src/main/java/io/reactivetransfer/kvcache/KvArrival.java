package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A KV cache that has arrived: every byte of its pages and its tail can be read. They stay the
 * caller's alone for as long as the scope that it was given to, see {@link KvDecode#receive}; or,
 * if that calls {@link #keep()}, until {@link #release()}. Safe from any thread.
 */
public final class KvArrival {

  private static final int SCOPED = 0;
  private static final int KEPT = 1;
  private static final int RELEASED = 2;

  private final long requestId;
  private final KvOrder order;
  private final KvSpan span;
  private final long arrivals;
  private final Duration untilFirst;
  private final Duration firstToLast;
  private final Runnable whenReleased;
  private final AtomicInteger owner = new AtomicInteger(SCOPED);

  /**
   * With what was measured.
   *
   * @param whenReleased the pages are the caller's again
   */
  KvArrival(
      long requestId,
      KvOrder order,
      KvSpan span,
      long arrivals,
      Duration untilFirst,
      Duration firstToLast,
      Runnable whenReleased) {
    this.requestId = requestId;
    this.order = order;
    this.span = span;
    this.arrivals = arrivals;
    this.untilFirst = untilFirst;
    this.firstToLast = firstToLast;
    this.whenReleased = whenReleased;
  }

  /** This engine's number of the request; of several, of that to the first prefill node. */
  public long requestId() {
    return requestId;
  }

  /** What was ordered. */
  public KvOrder order() {
    return order;
  }

  /** The pages as they were ordered; null if only a tail was. */
  public @Nullable PageList pages() {
    return order.pages();
  }

  /** The tokens that they hold now. */
  public KvSpan span() {
    return span;
  }

  /** The tail as it was ordered, or null. Prefill may have filled less of it. */
  public @Nullable MemorySlice tail() {
    return order.tail();
  }

  /**
   * How many arrivals were counted: the units of all layers, see {@link KvMapping}, and the tail.
   */
  public long arrivals() {
    return arrivals;
  }

  /** From the subscription to the first arrival. */
  public Duration untilFirst() {
    return untilFirst;
  }

  /** From the first arrival to the last, as this side saw them. */
  public Duration firstToLast() {
    return firstToLast;
  }

  /**
   * Takes the pages out of the scope: its end does not give them back any more, the caller does, by
   * {@link #release()}. Call it where the caller has them in hand, in a field for instance, and not
   * on the way to somebody who may not come.
   *
   * @return this
   * @throws IllegalStateException if they were given back already: the scope was cancelled, and the
   *     pages may be another's
   */
  public KvArrival keep() {
    if (!owner.compareAndSet(SCOPED, KEPT) && owner.get() == RELEASED) {
      throw new IllegalStateException(
          "expected to keep the pages of request "
              + requestId
              + " before they were given back; its scope has ended");
    }
    return this;
  }

  /**
   * Gives the pages back: {@code whenQuiet} of the order runs, at once or, if a tail was ordered,
   * when no NIC knows its memory any more. Doing it again has no effect.
   */
  public void release() {
    if (owner.getAndSet(RELEASED) != RELEASED) {
      whenReleased.run();
    }
  }

  /** Whether the caller has taken them out of the scope, and has them yet. */
  boolean isKept() {
    return owner.get() == KEPT;
  }

  /** The scope has ended: gives the pages back, unless they were kept. */
  void scopeEnded() {
    if (owner.compareAndSet(SCOPED, RELEASED)) {
      whenReleased.run();
    }
  }
}
