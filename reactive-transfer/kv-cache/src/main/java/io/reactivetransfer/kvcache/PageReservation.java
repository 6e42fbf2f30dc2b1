package io.reactivetransfer.kvcache;

import io.reactivetransfer.PageList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Pages that were taken out of a {@link PagePool}. Safe from any thread. */
public final class PageReservation {

  private final PagePool pool;
  private final PageList pages;
  private final AtomicBoolean released = new AtomicBoolean();

  PageReservation(PagePool pool, PageList pages) {
    this.pool = pool;
    this.pages = pages;
  }

  /** The pages, in the order in which they are to be filled. */
  public PageList pages() {
    return pages;
  }

  /** Whether they were given back. */
  public boolean isReleased() {
    return released.get();
  }

  /**
   * Gives the pages back. Do so when nothing can write to them any more. Doing it again has no
   * effect: the pages may be another's by then.
   */
  public void release() {
    if (released.compareAndSet(false, true)) {
      pool.giveBack(pages);
    }
  }
}
