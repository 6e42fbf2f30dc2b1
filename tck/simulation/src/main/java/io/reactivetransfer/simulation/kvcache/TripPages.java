package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.kvcache.KvSpan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages and the tail of one order: whose they are, and what must be in them. */
final class TripPages {

  /** The one page of a tail. */
  static final KvSpan TAIL = new KvSpan(0, 1);

  /** Whose they are. */
  enum State {
    NEW,
    ORDERED,
    ARRIVED,
    SCOPE_OVER,
    BACK
  }

  private final Trip trip;
  private final Decoding decoding;
  private @Nullable Lot pages;
  private @Nullable Lot tail;
  private int tailLength;
  private State state = State.NEW;

  TripPages(Trip trip, Decoding decoding) {
    this.trip = trip;
    this.decoding = decoding;
  }

  State state() {
    return state;
  }

  boolean isWithOrder() {
    return state == State.ORDERED;
  }

  boolean isInUse() {
    return state == State.ARRIVED;
  }

  boolean isBack() {
    return state == State.BACK;
  }

  @Nullable Lot pages() {
    return pages;
  }

  /** Where the tail is to go; null for nowhere. */
  @Nullable MemorySlice tailSlice() {
    Lot of = tail;
    return of == null ? null : decoding.tails.slice(of, KvNode.TAIL_BYTES);
  }

  /** Takes all that it wants, or nothing; whether it did. */
  boolean take() {
    KvSpan span = trip.plan().span();
    boolean wantsTail = trip.plan().wantsTail();
    pages = span.tokens() == 0 ? null : decoding.target.take(trip.number, span);
    tail = wantsTail ? decoding.tails.take(trip.number, TAIL) : null;
    if ((span.tokens() > 0 && pages == null) || (wantsTail && tail == null)) {
      give();
      return false;
    }
    state = State.ORDERED;
    return true;
  }

  /** They were never taken, and will not be. */
  void forget() {
    state = State.BACK;
  }

  /** All is there, and nobody writes any more. */
  void arrived() {
    state = State.ARRIVED;
    lots().forEach(lot -> lot.open = false);
    requireFilled("arrived");
  }

  /** Nobody reads them any more. */
  void scopeOver(String why) {
    requireFilled(why);
    state = State.SCOPE_OVER;
  }

  /** They are free. */
  void back() {
    state = State.BACK;
    give();
  }

  private void give() {
    Lot lot = pages;
    if (lot != null) {
      decoding.target.give(lot);
    }
    Lot last = tail;
    if (last != null) {
      decoding.tails.give(last);
    }
    pages = null;
    tail = null;
  }

  private List<Lot> lots() {
    List<Lot> lots = new ArrayList<>();
    if (pages != null) {
      lots.add(pages);
    }
    if (tail != null) {
      lots.add(tail);
    }
    return lots;
  }

  /** Whether a NIC has written any of it. */
  boolean isTouched() {
    return lots().stream().anyMatch(lot -> lot.touchedNanos >= 0);
  }

  /** When a NIC began to write it; only if one did. */
  long touchedNanos() {
    return lots().stream()
        .mapToLong(lot -> lot.touchedNanos)
        .filter(nanos -> nanos >= 0)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Prefill writes so many bytes of the tail. */
  void tailWritten(int length) {
    tailLength = length;
  }

  void requireFilled(String why) {
    Lot lot = pages;
    if (lot != null) {
      decoding.target.requireFilled(lot, trip + " " + why);
    }
    Lot last = tail;
    if (last != null) {
      decoding.tails.requireFilled(last, 0, 1, tailLength, trip + " " + why);
    }
  }

  void requireFilled(int layer) {
    Lot lot = pages;
    if (lot != null) {
      decoding.target.requireFilled(lot, layer, "layer " + layer + " of " + trip + " is here");
    }
  }
}
