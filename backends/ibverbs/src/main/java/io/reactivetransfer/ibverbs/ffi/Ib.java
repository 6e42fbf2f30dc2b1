package io.reactivetransfer.ibverbs.ffi;

/**
 * Constants of {@code infiniband/verbs.h}, under their names. A test compares each with the
 * installed header.
 */
public final class Ib {

  public static final int IBV_LINK_LAYER_INFINIBAND = 1;
  public static final int IBV_LINK_LAYER_ETHERNET = 2;

  public static final int IBV_PORT_ACTIVE = 4;

  public static final int IBV_GID_TYPE_ROCE_V1 = 1;
  public static final int IBV_GID_TYPE_ROCE_V2 = 2;

  public static final int IBV_MTU_256 = 1;
  public static final int IBV_MTU_4096 = 5;

  public static final int IBV_ACCESS_LOCAL_WRITE = 1;
  public static final int IBV_ACCESS_REMOTE_WRITE = 1 << 1;

  /** Where a device does not offer it, libibverbs leaves it out. */
  public static final int IBV_ACCESS_RELAXED_ORDERING = 1 << 20;

  public static final int IBV_QPT_RC = 2;

  public static final int IBV_QPS_INIT = 1;
  public static final int IBV_QPS_RTR = 2;
  public static final int IBV_QPS_RTS = 3;
  public static final int IBV_QPS_ERR = 6;

  public static final int IBV_QP_STATE = 1;
  public static final int IBV_QP_ACCESS_FLAGS = 1 << 3;
  public static final int IBV_QP_PKEY_INDEX = 1 << 4;
  public static final int IBV_QP_PORT = 1 << 5;
  public static final int IBV_QP_AV = 1 << 7;
  public static final int IBV_QP_PATH_MTU = 1 << 8;
  public static final int IBV_QP_TIMEOUT = 1 << 9;
  public static final int IBV_QP_RETRY_CNT = 1 << 10;
  public static final int IBV_QP_RNR_RETRY = 1 << 11;
  public static final int IBV_QP_RQ_PSN = 1 << 12;
  public static final int IBV_QP_MAX_QP_RD_ATOMIC = 1 << 13;
  public static final int IBV_QP_MIN_RNR_TIMER = 1 << 15;
  public static final int IBV_QP_SQ_PSN = 1 << 16;
  public static final int IBV_QP_MAX_DEST_RD_ATOMIC = 1 << 17;
  public static final int IBV_QP_DEST_QPN = 1 << 20;

  public static final int IBV_WR_RDMA_WRITE = 0;
  public static final int IBV_WR_RDMA_WRITE_WITH_IMM = 1;

  public static final int IBV_SEND_SIGNALED = 1 << 1;
  public static final int IBV_SEND_INLINE = 1 << 3;

  public static final int IBV_WC_SUCCESS = 0;
  public static final int IBV_WC_LOC_LEN_ERR = 1;
  public static final int IBV_WC_LOC_PROT_ERR = 4;
  public static final int IBV_WC_WR_FLUSH_ERR = 5;
  public static final int IBV_WC_REM_INV_REQ_ERR = 9;
  public static final int IBV_WC_REM_ACCESS_ERR = 10;
  public static final int IBV_WC_RETRY_EXC_ERR = 12;

  /** Of a completion's {@code wc_flags}: it has an immediate. */
  public static final int IBV_WC_WITH_IMM = 1 << 1;

  public static final int IBV_EVENT_CQ_ERR = 0;
  public static final int IBV_EVENT_QP_FATAL = 1;
  public static final int IBV_EVENT_QP_REQ_ERR = 2;
  public static final int IBV_EVENT_QP_ACCESS_ERR = 3;
  public static final int IBV_EVENT_DEVICE_FATAL = 8;
  public static final int IBV_EVENT_PORT_ACTIVE = 9;
  public static final int IBV_EVENT_PORT_ERR = 10;
  public static final int IBV_EVENT_LID_CHANGE = 11;
  public static final int IBV_EVENT_SRQ_ERR = 14;
  public static final int IBV_EVENT_QP_LAST_WQE_REACHED = 16;
  public static final int IBV_EVENT_GID_CHANGE = 18;

  private Ib() {}
}
