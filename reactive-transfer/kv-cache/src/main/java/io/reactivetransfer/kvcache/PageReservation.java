package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.lang.ref.Cleaner;
import java.util.Arrays;

/**
 * Pages that were taken out of a {@link PagePool}. Keep it until they are given back: one that is
 * dropped is a leak, which the pool names. Safe from any thread.
 */
public final class PageReservation {

  private static final Cleaner CLEANER = Cleaner.create();

  private final PageHolding holding;
  private final PageList pages;

  PageReservation(PageHolding holding, PageList pages) {
    this.holding = holding;
    this.pages = pages;
    CLEANER.register(this, holding);
  }

  /** The pages, in the order in which they are to be filled. */
  public PageList pages() {
    return pages;
  }

  /** Who has them, in words. */
  public String holder() {
    return holding.holder();
  }

  /** How many were not given back yet. */
  public int left() {
    return holding.left();
  }

  /** Whether all were given back. */
  public boolean isReleased() {
    return holding.isEmpty();
  }

  /**
   * Gives back all that were not. Do so when nothing can write to them any more. Doing it again has
   * no effect: the pages may be another's by then.
   */
  public void release() {
    holding.giveBack();
  }

  /**
   * Gives some of the pages back, for instance those that nobody shares. Those that were given back
   * before are left alone.
   *
   * @throws IllegalArgumentException if one of them was never of this reservation
   */
  public void release(PageList some) {
    int[] foreign = PagePool.without(some.toArray(), pages.toArray());
    if (foreign.length > 0) {
      throw new IllegalArgumentException(
          "expected pages of this reservation, got "
              + Arrays.toString(Arrays.copyOf(foreign, Math.min(4, foreign.length)))
              + (foreign.length > 4 ? " and others" : ""));
    }
    holding.giveBack(some);
  }

  /** Who has them, and how many. */
  @Override
  public String toString() {
    return holding.toString();
  }
}
