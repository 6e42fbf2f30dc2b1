package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * A {@code fi_mr_attr} of memory of an accelerator, in one part; filled again and again: the
 * provider copies it.
 *
 * @see LibFabric#fi_mr_regattr
 */
public final class DeviceAttributes {

  private final long attributes;
  private final long iov;

  /** In memory that lives as long as the arena. */
  public DeviceAttributes(Arena arena) {
    iov = arena.allocate(FiLayout.IOVEC_BYTES, Long.BYTES).address();
    attributes = arena.allocate(FiLayout.MR_ATTR_BYTES, Long.BYTES).address();
    Raw.putLong(FiLayout.MR_ATTR_IOV.in(attributes), iov);
    Raw.putLong(FiLayout.MR_ATTR_IOV_COUNT.in(attributes), 1);
  }

  /** Sets what is registered, for what, and under which key if the provider does not choose it. */
  public DeviceAttributes of(long address, long length, long access, long requestedKey) {
    Raw.putLong(FiLayout.IOVEC_BASE.in(iov), address);
    Raw.putLong(FiLayout.IOVEC_LEN.in(iov), length);
    Raw.putLong(FiLayout.MR_ATTR_ACCESS.in(attributes), access);
    Raw.putLong(FiLayout.MR_ATTR_KEY.in(attributes), requestedKey);
    return this;
  }

  /**
   * Sets whose memory it is.
   *
   * @param kind such as {@link Fi#FI_HMEM_CUDA}
   * @param ordinal which one of these
   */
  public DeviceAttributes on(int kind, int ordinal) {
    Raw.putInt(FiLayout.MR_ATTR_IFACE.in(attributes), kind);
    Raw.putInt(FiLayout.MR_ATTR_CUDA.in(attributes), ordinal);
    return this;
  }

  /** For the call. */
  public long address() {
    return attributes;
  }
}
