package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.KvSpan;

/** Pages of one {@link Land} in somebody's hands, and the tokens that they are for. */
final class Lot {

  final int order;
  final KvSpan span;
  final PageList pages;
  private final long begin;
  private final int pageTokens;

  /** Whether a NIC may touch them: write to a target, read a source. */
  boolean open = true;

  /** When a NIC first wrote to them; below 0 until one does. */
  long touchedNanos = -1;

  Lot(int order, KvSpan span, PageList pages, int pageTokens) {
    this.order = order;
    this.span = span;
    this.pages = pages;
    this.pageTokens = pageTokens;
    this.begin = span.firstToken() - span.firstToken() % pageTokens;
  }

  /** Which token lies there. */
  long token(int position, int inPage) {
    return begin + (long) position * pageTokens + inPage;
  }

  boolean wants(long token) {
    return token >= span.firstToken() && token < span.end();
  }

  @Override
  public String toString() {
    return "the pages of order " + order;
  }
}
