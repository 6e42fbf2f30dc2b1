package io.reactivetransfer.libfabric.ffi;

/**
 * Constants of libfabric's headers, under their names. A test compares each with the installed
 * headers.
 */
public final class Fi {

  /**
   * The version of the interface that is asked for: what Debian 12 has, and all later ones keep.
   */
  public static final int API_VERSION = 1 << 16 | 17;

  public static final long FI_RMA = 1L << 2;
  public static final long FI_WRITE = 1L << 9;
  public static final long FI_RECV = 1L << 10;
  public static final long FI_TRANSMIT = 1L << 11;
  public static final long FI_REMOTE_WRITE = 1L << 13;
  public static final long FI_REMOTE_CQ_DATA = 1L << 17;
  public static final long FI_COMPLETION = 1L << 24;
  public static final long FI_INJECT = 1L << 25;
  public static final long FI_DELIVERY_COMPLETE = 1L << 28;
  public static final long FI_HMEM = 1L << 47;
  public static final long FI_CONTEXT2 = 1L << 52;
  public static final long FI_SOURCE = 1L << 57;
  public static final long FI_CONTEXT = 1L << 59;

  public static final int FI_EP_MSG = 1;
  public static final int FI_EP_RDM = 3;

  public static final int FI_CONNREQ = 1;
  public static final int FI_CONNECTED = 2;
  public static final int FI_SHUTDOWN = 3;

  public static final int FI_MR_LOCAL = 1 << 2;
  public static final int FI_MR_VIRT_ADDR = 1 << 4;
  public static final int FI_MR_ALLOCATED = 1 << 5;
  public static final int FI_MR_PROV_KEY = 1 << 6;
  public static final int FI_MR_ENDPOINT = 1 << 9;
  public static final int FI_MR_HMEM = 1 << 10;
  public static final int FI_HMEM_CUDA = 1;

  public static final int FI_CQ_FORMAT_DATA = 3;
  public static final int FI_WAIT_NONE = 0;
  public static final int FI_WAIT_FD = 3;
  public static final int FI_GETWAIT = 5;
  public static final int FI_ENABLE = 6;
  public static final int FI_THREAD_DOMAIN = 3;
  public static final int FI_PROGRESS_MANUAL = 2;
  public static final int FI_RM_ENABLED = 2;
  public static final int FI_BUS_PCI = 1;

  public static final int FI_SUCCESS = 0;
  public static final int FI_EAGAIN = 11;
  public static final int FI_ENOMEM = 12;
  public static final int FI_EBUSY = 16;
  public static final int FI_EINVAL = 22;
  public static final int FI_EMFILE = 24;
  public static final int FI_ENODATA = 61;
  public static final int FI_EADDRNOTAVAIL = 99;
  public static final int FI_ENETDOWN = 100;
  public static final int FI_ENETUNREACH = 101;
  public static final int FI_ECONNRESET = 104;
  public static final int FI_ETIMEDOUT = 110;
  public static final int FI_ECONNREFUSED = 111;
  public static final int FI_EHOSTUNREACH = 113;
  public static final int FI_EAVAIL = 259;

  /** Destination or source that is none. */
  public static final long FI_ADDR_UNSPEC = -1L;

  private Fi() {}
}
