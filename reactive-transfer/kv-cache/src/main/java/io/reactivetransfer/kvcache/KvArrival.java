package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A KV cache that has arrived: every byte of its pages and its tail can be read. Its pages stay
 * reserved for as long as the scope that it was given to, see {@link KvDecode#receive}; or, if that
 * calls {@link #keep()}, until {@link #release()}. Safe from any thread.
 */
public final class KvArrival {

  private final long requestId;
  private final PageReservation reservation;
  private final MemorySlice tail;
  private final long arrivals;
  private final Duration untilFirst;
  private final Duration firstToLast;

  private static final int SCOPED = 0;
  private static final int KEPT = 1;
  private static final int RELEASED = 2;

  private final AtomicInteger owner = new AtomicInteger(SCOPED);

  KvArrival(
      long requestId,
      PageReservation reservation,
      MemorySlice tail,
      long arrivals,
      Duration untilFirst,
      Duration firstToLast) {
    this.requestId = requestId;
    this.reservation = reservation;
    this.tail = tail;
    this.arrivals = arrivals;
    this.untilFirst = untilFirst;
    this.firstToLast = firstToLast;
  }

  /** This engine's number of the request. */
  public long requestId() {
    return requestId;
  }

  /** The pages, the same ones in each layer, in the order in which prefill filled them. */
  public PageList pages() {
    return reservation.pages();
  }

  /** The tail, as it was ordered. Prefill may have filled less of it. */
  public MemorySlice tail() {
    return tail;
  }

  /** How many arrivals were counted: each page of each layer, and the tail. */
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

  /** Gives the pages back to the pool; doing it again has no effect. */
  public void release() {
    owner.set(RELEASED);
    reservation.release();
  }

  /** The scope has ended: gives the pages back, unless they were kept. */
  void scopeEnded() {
    if (owner.compareAndSet(SCOPED, RELEASED)) {
      reservation.release();
    }
  }
}
