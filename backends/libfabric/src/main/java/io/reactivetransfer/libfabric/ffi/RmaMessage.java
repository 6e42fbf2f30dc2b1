package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * A {@code fi_msg_rma} of one part, filled again and again: the provider copies it.
 *
 * @see LibFabric#fi_writemsg
 */
public final class RmaMessage {

  private final long message;
  private final long iov;
  private final long rmaIov;
  private final long desc;

  /** In memory that lives as long as the arena. */
  public RmaMessage(Arena arena) {
    iov = arena.allocate(FiLayout.IOVEC_BYTES, Long.BYTES).address();
    rmaIov = arena.allocate(FiLayout.RMA_IOV_BYTES, Long.BYTES).address();
    desc = arena.allocate(Long.BYTES, Long.BYTES).address();
    message = arena.allocate(FiLayout.MSG_RMA_BYTES, Long.BYTES).address();
    Raw.putLong(FiLayout.MSG_RMA_MSG_IOV.in(message), iov);
    Raw.putLong(FiLayout.MSG_RMA_DESC.in(message), desc);
    Raw.putLong(FiLayout.MSG_RMA_IOV_COUNT.in(message), 1);
    Raw.putLong(FiLayout.MSG_RMA_RMA_IOV.in(message), rmaIov);
    Raw.putLong(FiLayout.MSG_RMA_RMA_IOV_COUNT.in(message), 1);
  }

  /** Sets where the bytes come from. */
  public void from(long address, long length, long localDesc) {
    Raw.putLong(FiLayout.IOVEC_BASE.in(iov), address);
    Raw.putLong(FiLayout.IOVEC_LEN.in(iov), length);
    Raw.putLong(FiLayout.RMA_IOV_LEN.in(rmaIov), length);
    Raw.putLong(desc, localDesc);
  }

  /** Sets where they go. */
  public void to(long destination, long address, long key) {
    Raw.putLong(FiLayout.MSG_RMA_ADDR.in(message), destination);
    Raw.putLong(FiLayout.RMA_IOV_ADDR.in(rmaIov), address);
    Raw.putLong(FiLayout.RMA_IOV_KEY.in(rmaIov), key);
  }

  /** Sets the immediate, and what the completion has as its context. */
  public void with(long data, long context) {
    Raw.putLong(FiLayout.MSG_RMA_DATA.in(message), data);
    Raw.putLong(FiLayout.MSG_RMA_CONTEXT.in(message), context);
  }

  /** For the call. */
  public long address() {
    return message;
  }
}
