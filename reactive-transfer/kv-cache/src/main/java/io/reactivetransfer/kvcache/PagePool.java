package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.stream.IntStream;

/**
 * Which pages of a {@link OldLayout} are free. Gives out those that have been free for longest, so
 * that a page is reused as late as possible. Safe from any thread, never blocks for long, touches
 * no memory.
 */
public final class PagePool {

  /** The free pages: a ring, from {@code first} on. */
  private final int[] ring;

  private int first;
  private int free;

  private PagePool(int[] order) {
    this.ring = order;
    this.free = order.length;
  }

  /**
   * A pool of the pages 0 to {@code pages - 1}, given out in this order at first.
   *
   * @param pages at least 1
   */
  public static PagePool of(int pages) {
    if (pages < 1) {
      throw new IllegalArgumentException("expected 1 or more pages, got " + pages);
    }
    return new PagePool(IntStream.range(0, pages).toArray());
  }

  /**
   * A pool of pages that are given out in this order at first.
   *
   * @param order each index from 0 to its size - 1, once
   */
  public static PagePool inOrder(PageList order) {
    if (order.largest() != order.size() - 1) {
      throw new IllegalArgumentException(
          "expected the pages 0 to " + (order.size() - 1) + ", got one of " + order.largest());
    }
    return new PagePool(order.toArray());
  }

  /** How many pages there are. */
  public int size() {
    return ring.length;
  }

  /** How many of them are free. */
  public synchronized int free() {
    return free;
  }

  /**
   * Takes pages out of the pool, all of them or none.
   *
   * @param pages how many, at least 1
   * @throws PagesExhaustedException if fewer are free
   */
  public synchronized PageReservation reserve(int pages) {
    if (pages < 1) {
      throw new IllegalArgumentException("expected to reserve 1 or more pages, got " + pages);
    }
    if (pages > free) {
      throw new PagesExhaustedException(pages, free, ring.length);
    }
    int[] taken = new int[pages];
    for (int i = 0; i < pages; i++) {
      taken[i] = ring[(int) (((long) first + i) % ring.length)];
    }
    // Before they are taken: what there is no memory for must not cost pages.
    PageReservation reservation = new PageReservation(this, PageList.of(taken));
    first = (int) (((long) first + pages) % ring.length);
    free -= pages;
    return reservation;
  }

  synchronized void giveBack(PageList pages) {
    for (int i = 0; i < pages.size(); i++) {
      ring[(int) (((long) first + free) % ring.length)] = pages.get(i);
      free++;
    }
  }
}
