package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;

/** A fake whose device takes over only the beginning of a chain, once, and says that it failed. */
public final class CutPosts extends FakeVerbs {

  private static final int ENOMEM = 12;
  private static final int NEVER = -1;

  private int taken = NEVER;
  private boolean tellsWhich;

  /** With so many devices. */
  public CutPosts(int count) {
    super(count);
  }

  /**
   * The next chain is cut.
   *
   * @param taken so many of its requests are really posted
   * @param tellsWhich whether it is said which one was the first that was not
   */
  public synchronized void cutNext(int taken, boolean tellsWhich) {
    this.taken = taken;
    this.tellsWhich = tellsWhich;
  }

  @Override
  public synchronized int ibv_post_send(long qp, long wr, long badWr) {
    if (taken == NEVER) {
      return super.ibv_post_send(qp, wr, badWr);
    }
    long last = 0;
    long bad = wr;
    for (int i = 0; i < taken; i++) {
      last = bad;
      bad = Raw.getLong(IbLayout.WR_NEXT.in(bad));
    }
    if (last != 0) {
      Raw.putLong(IbLayout.WR_NEXT.in(last), 0);
      int result = super.ibv_post_send(qp, wr, badWr);
      Raw.putLong(IbLayout.WR_NEXT.in(last), bad);
      if (result < 0) {
        throw new IllegalStateException("expected a queue pair that takes them, got " + result);
      }
    }
    taken = NEVER;
    if (tellsWhich) {
      Raw.putLong(badWr, bad);
    }
    return -ENOMEM;
  }
}
