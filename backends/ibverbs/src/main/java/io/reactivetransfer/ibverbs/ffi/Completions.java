package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * Room for completions that are polled together. Of one that has failed, the header defines {@link
 * #id}, {@link #status}, {@link #vendorError} and {@link #queuePair} only.
 */
public final class Completions {

  private final long entries;
  private final int most;

  /** For so many, as long as the arena lives. */
  public Completions(Arena arena, int most) {
    this.most = most;
    entries = arena.allocate(most * IbLayout.WC_BYTES, Long.BYTES).address();
  }

  /** As many as there is room for. */
  public int most() {
    return most;
  }

  public int poll(Verbs verbs, long cq) {
    return verbs.ibv_poll_cq(cq, most, entries);
  }

  private long at(int index) {
    return entries + index * IbLayout.WC_BYTES;
  }

  public long id(int index) {
    return Raw.getLong(IbLayout.WC_ID.in(at(index)));
  }

  public int status(int index) {
    return Raw.getInt(IbLayout.WC_STATUS.in(at(index)));
  }

  public int vendorError(int index) {
    return Raw.getInt(IbLayout.WC_VENDOR_ERR.in(at(index)));
  }

  public int queuePair(int index) {
    return Raw.getInt(IbLayout.WC_QP_NUM.in(at(index)));
  }

  public boolean hasImm(int index) {
    return (Raw.getInt(IbLayout.WC_FLAGS.in(at(index))) & Ib.IBV_WC_WITH_IMM) != 0;
  }

  public int imm(int index) {
    return Integer.reverseBytes(Raw.getInt(IbLayout.WC_IMM.in(at(index))));
  }

  /** How much came with an immediate; devices say it of receives and of nothing else here. */
  public long bytes(int index) {
    return Integer.toUnsignedLong(Raw.getInt(IbLayout.WC_BYTE_LEN.in(at(index))));
  }
}
