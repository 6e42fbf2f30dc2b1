package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;

/** A fake that costs next to nothing: once it carries nothing, what is posted is complete. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // idle, it is one thread's, and is timed
public final class IdleVerbs extends FakeVerbs {
  private final long[] complete;
  private int count;
  private boolean carriesNothing;

  /** With two devices, and room for so many completions. */
  public IdleVerbs(int most) {
    super(2);
    complete = new long[most];
  }

  /** From now on it carries nothing, or all. */
  public void carryNothing(boolean carriesNothing) {
    this.carriesNothing = carriesNothing;
  }

  @Override
  public int ibv_post_send(long qp, long wr, long badWr) {
    if (!carriesNothing) {
      return super.ibv_post_send(qp, wr, badWr);
    }
    for (long at = wr; at != 0; at = Raw.getLong(IbLayout.WR_NEXT.in(at))) {
      if ((Raw.getInt(IbLayout.WR_FLAGS.in(at)) & Ib.IBV_SEND_SIGNALED) != 0) {
        complete[count++] = Raw.getLong(IbLayout.WR_ID.in(at));
      }
    }
    return 0;
  }

  @Override
  public int ibv_poll_cq(long cq, int most, long wcs) {
    if (!carriesNothing) {
      return super.ibv_poll_cq(cq, most, wcs);
    }
    int polled = count;
    for (int i = 0; i < polled; i++) {
      long wc = wcs + i * IbLayout.WC_BYTES;
      Raw.putLong(IbLayout.WC_ID.in(wc), complete[i]);
      Raw.putInt(IbLayout.WC_STATUS.in(wc), Ib.IBV_WC_SUCCESS);
    }
    count = 0;
    return polled;
  }
}
