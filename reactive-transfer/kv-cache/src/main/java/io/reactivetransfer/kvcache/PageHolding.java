package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.lang.ref.WeakReference;

/**
 * Who has which pages of a pool. Not the reservation itself, which only its owner holds: so it is
 * noticed when that is dropped.
 */
final class PageHolding implements Runnable {

  /** Of no use to a pool that nobody has any more. */
  private final WeakReference<PagePool> pool;

  private final String holder;

  /** Guarded by this. */
  private int[] pages;

  PageHolding(PagePool pool, String holder, int[] pages) {
    this.pool = new WeakReference<>(pool);
    this.holder = holder;
    this.pages = pages;
  }

  String holder() {
    return holder;
  }

  synchronized int left() {
    return pages.length;
  }

  boolean isEmpty() {
    return left() == 0;
  }

  /** Gives back all that is left. */
  void giveBack() {
    int[] all;
    synchronized (this) {
      all = pages;
      pages = new int[0];
    }
    giveBack(all);
  }

  /** Gives back those of these that are left. */
  void giveBack(PageList some) {
    int[] wanted = some.toArray();
    int[] back;
    synchronized (this) {
      int[] kept = PagePool.without(pages, wanted);
      back = PagePool.without(pages, kept);
      pages = kept;
    }
    giveBack(back);
  }

  private void giveBack(int[] back) {
    PagePool owner = pool.get();
    if (back.length > 0 && owner != null) {
      owner.giveBack(this, back);
    }
  }

  /** The reservation was dropped. */
  @Override
  public void run() {
    PagePool owner = pool.get();
    if (!isEmpty() && owner != null) {
      owner.lost(this);
    }
  }

  @Override
  public String toString() {
    return holder + " (" + left() + " pages)";
  }
}
