package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import java.time.Duration;

/**
 * A KV cache that has arrived: every byte of its pages and its tail can be read. The pages stay
 * reserved, and are the receiver's to read and write, until {@link #release()}.
 */
public final class KvArrival {

  private final long requestId;
  private final PageReservation reservation;
  private final MemorySlice tail;
  private final long arrivals;
  private final Duration untilFirst;
  private final Duration firstToLast;

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

  /** Gives the pages back to the pool; doing it again has no effect. */
  public void release() {
    reservation.release();
  }
}
