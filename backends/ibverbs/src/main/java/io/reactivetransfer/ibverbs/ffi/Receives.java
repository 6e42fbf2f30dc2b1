package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * A chain of work requests for immediates, which take no bytes, in native memory that is allocated
 * once. As many of it as are wanted are posted at once.
 */
public final class Receives {

  /** What receives are known by among completions; no slot of a write has it. */
  public static final long ID = -1L;

  private final Verbs verbs;
  private final long chain;
  private final long badWr;
  private final int most;

  /** Of at most so many at once, as long as the arena lives. */
  public Receives(Verbs verbs, Arena arena, int most) {
    this.verbs = verbs;
    this.most = most;
    badWr = arena.allocate(ValueLayout.JAVA_LONG).address();
    chain = arena.allocate(most * IbLayout.RECV_WR_BYTES, Long.BYTES).address();
    for (int i = 0; i < most; i++) {
      Raw.putLong(IbLayout.RECV_ID.in(at(i)), ID);
      Raw.putLong(IbLayout.RECV_NEXT.in(at(i)), i + 1 < most ? at(i + 1) : 0);
    }
  }

  private long at(int index) {
    return chain + index * IbLayout.RECV_WR_BYTES;
  }

  /** As many as can be posted at once. */
  public int most() {
    return most;
  }

  /**
   * Posts some.
   *
   * @param count from 1 to {@link #most()}
   * @return 0, or a negated errno; then none was posted, or some
   */
  public int post(long srq, int count) {
    long next = IbLayout.RECV_NEXT.in(at(count - 1));
    long whole = Raw.getLong(next);
    Raw.putLong(next, 0);
    int result = verbs.ibv_post_srq_recv(srq, chain, badWr);
    Raw.putLong(next, whole);
    return result;
  }
}
