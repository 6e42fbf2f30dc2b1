package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.spi.MemoryFaults;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Work requests for writes, in native memory that is allocated once: a {@code ibv_send_wr} with one
 * {@code ibv_sge} for each slot, and room for the bytes of a short write. What does not change is
 * filled in here, once.
 */
public final class SendRequests {

  /** Up to so many bytes of a write are copied when it is taken over. */
  public static final int COPIED_BYTES = 64;

  private static final long COPY = 192; // behind a request and its entry, in a cache line
  private static final long STRIDE = COPY + COPIED_BYTES;

  private final MemorySegment all;
  private final long requests;

  /** For so many slots, as long as the arena lives. */
  public SendRequests(Arena arena, int slots) {
    all = arena.allocate(slots * STRIDE, 64);
    requests = all.address();
    for (int slot = 0; slot < slots; slot++) {
      long wr = address(slot);
      Raw.putLong(IbLayout.WR_SG_LIST.in(wr), wr + IbLayout.SEND_WR_BYTES);
    }
  }

  /** All of it: what copies are sent from, where a device does not copy them itself. */
  public MemorySegment all() {
    return all;
  }

  /** Of the request in a slot. */
  public long address(int slot) {
    return requests + slot * STRIDE;
  }

  /** The slot of the request at an address. */
  public int slotAt(long address) {
    return (int) ((address - requests) / STRIDE);
  }

  /** From where. */
  public void source(int slot, long address, long length, int lkey) {
    long wr = address(slot);
    Raw.putInt(IbLayout.WR_NUM_SGE.in(wr), length == 0 ? 0 : 1);
    long sge = wr + IbLayout.SEND_WR_BYTES;
    Raw.putLong(IbLayout.SGE_ADDR.in(sge), address);
    Raw.putInt(IbLayout.SGE_LENGTH.in(sge), (int) length);
    Raw.putInt(IbLayout.SGE_LKEY.in(sge), lkey);
  }

  /**
   * From a copy, which is made now. Nobody frees the source meanwhile.
   *
   * @param length from 1 to {@link #COPIED_BYTES}
   * @param lkey of {@link #all()}
   * @throws IllegalStateException if the source was freed
   * @throws InternalError if it maps a file that was cut off
   */
  public void copy(int slot, MemorySegment source, long offset, long length, int lkey) {
    MemorySegment.copy(source, offset, all, slot * STRIDE + COPY, length);
    MemoryFaults.report((int) length);
    source(slot, address(slot) + COPY, length, lkey);
  }

  /** Whether it is sent from a copy, and that of at most so many bytes. */
  public boolean isCopied(int slot, int mostBytes) {
    long sge = address(slot) + IbLayout.SEND_WR_BYTES;
    return Raw.getInt(IbLayout.WR_NUM_SGE.in(address(slot))) == 1
        && Raw.getLong(IbLayout.SGE_ADDR.in(sge)) == address(slot) + COPY
        && Raw.getInt(IbLayout.SGE_LENGTH.in(sge)) <= mostBytes;
  }

  /** Where to. */
  public void target(int slot, long address, int rkey) {
    long wr = address(slot);
    Raw.putLong(IbLayout.WR_REMOTE_ADDR.in(wr), address);
    Raw.putInt(IbLayout.WR_RKEY.in(wr), rkey);
  }

  /** Whether it has bytes for the memory under a key; without bytes, no card looks at a key. */
  public boolean goesTo(int slot, int rkey) {
    long wr = address(slot);
    return Raw.getInt(IbLayout.WR_NUM_SGE.in(wr)) == 1 && rkey(slot) == rkey;
  }

  public int rkey(int slot) {
    return Raw.getInt(IbLayout.WR_RKEY.in(address(slot)));
  }

  /** A write that tells its target. The immediate is sent in network order, as C programs do. */
  public void withImm(int slot, int imm) {
    long wr = address(slot);
    Raw.putInt(IbLayout.WR_OPCODE.in(wr), Ib.IBV_WR_RDMA_WRITE_WITH_IMM);
    Raw.putInt(IbLayout.WR_IMM.in(wr), Integer.reverseBytes(imm));
  }

  /** A write that tells nobody. */
  public void withoutImm(int slot) {
    Raw.putInt(IbLayout.WR_OPCODE.in(address(slot)), Ib.IBV_WR_RDMA_WRITE);
  }

  /** The end of a chain, for now. */
  public void last(int slot, long id, int flags) {
    long wr = address(slot);
    Raw.putLong(IbLayout.WR_ID.in(wr), id);
    Raw.putLong(IbLayout.WR_NEXT.in(wr), 0);
    Raw.putInt(IbLayout.WR_FLAGS.in(wr), flags);
  }

  /** Has a chain go on. */
  public void next(int slot, int following) {
    Raw.putLong(IbLayout.WR_NEXT.in(address(slot)), address(following));
  }

  /** Sets flags besides those that are set. */
  public void add(int slot, int flags) {
    long field = IbLayout.WR_FLAGS.in(address(slot));
    Raw.putInt(field, Raw.getInt(field) | flags);
  }
}
