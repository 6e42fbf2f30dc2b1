package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.CField;

/**
 * Where the fields lie that are read or written here, on a 64-bit Linux. A test compares each with
 * the installed header.
 */
public final class IbLayout {

  static final CField CONTEXT_ASYNC_FD = new CField("ibv_context", "async_fd", 268);
  static final CField CONTEXT_POLL_CQ = new CField("ibv_context", "ops.poll_cq", 96);
  static final CField CONTEXT_REQ_NOTIFY = new CField("ibv_context", "ops.req_notify_cq", 104);
  static final CField CONTEXT_POST_SRQ = new CField("ibv_context", "ops.post_srq_recv", 168);
  static final CField CONTEXT_POST_SEND = new CField("ibv_context", "ops.post_send", 208);

  static final CField DEVICE_FW_VER = new CField("ibv_device_attr", "fw_ver", 0);
  static final CField DEVICE_MAX_QP_WR = new CField("ibv_device_attr", "max_qp_wr", 112);
  static final CField DEVICE_MAX_CQE = new CField("ibv_device_attr", "max_cqe", 132);
  static final CField DEVICE_MAX_SRQ_WR = new CField("ibv_device_attr", "max_srq_wr", 216);
  static final CField DEVICE_PORTS = new CField("ibv_device_attr", "phys_port_cnt", 227);

  static final CField PORT_STATE = new CField("ibv_port_attr", "state", 0);
  static final CField PORT_ACTIVE_MTU = new CField("ibv_port_attr", "active_mtu", 8);
  static final CField PORT_GIDS = new CField("ibv_port_attr", "gid_tbl_len", 12);
  static final CField PORT_MAX_MSG = new CField("ibv_port_attr", "max_msg_sz", 20);
  static final CField PORT_LID = new CField("ibv_port_attr", "lid", 34);
  static final CField PORT_WIDTH = new CField("ibv_port_attr", "active_width", 43);
  static final CField PORT_SPEED = new CField("ibv_port_attr", "active_speed", 44);
  static final CField PORT_LINK_LAYER = new CField("ibv_port_attr", "link_layer", 46);

  static final CField GID = new CField("ibv_gid_entry", "gid", 0);
  static final CField GID_TYPE = new CField("ibv_gid_entry", "gid_type", 24);

  static final CField MR_LKEY = new CField("ibv_mr", "lkey", 36);
  static final CField MR_RKEY = new CField("ibv_mr", "rkey", 40);
  static final CField CHANNEL_FD = new CField("ibv_comp_channel", "fd", 8);
  static final CField CQ_CONTEXT = new CField("ibv_cq", "context", 0);
  static final CField QP_CONTEXT = new CField("ibv_qp", "context", 0);
  static final CField QP_NUMBER = new CField("ibv_qp", "qp_num", 52);
  static final CField SRQ_CONTEXT = new CField("ibv_srq", "context", 0);

  static final CField SRQ_MAX_WR = new CField("ibv_srq_init_attr", "attr.max_wr", 8);
  static final CField SRQ_MAX_SGE = new CField("ibv_srq_init_attr", "attr.max_sge", 12);

  static final CField INIT_SEND_CQ = new CField("ibv_qp_init_attr", "send_cq", 8);
  static final CField INIT_RECV_CQ = new CField("ibv_qp_init_attr", "recv_cq", 16);
  static final CField INIT_SRQ = new CField("ibv_qp_init_attr", "srq", 24);
  static final CField INIT_MAX_SEND = new CField("ibv_qp_init_attr", "cap.max_send_wr", 32);
  static final CField INIT_MAX_SEND_SGE = new CField("ibv_qp_init_attr", "cap.max_send_sge", 40);
  static final CField INIT_INLINE = new CField("ibv_qp_init_attr", "cap.max_inline_data", 48);
  static final CField INIT_TYPE = new CField("ibv_qp_init_attr", "qp_type", 52);

  static final CField QP_STATE = new CField("ibv_qp_attr", "qp_state", 0);
  static final CField QP_PATH_MTU = new CField("ibv_qp_attr", "path_mtu", 8);
  static final CField QP_RQ_PSN = new CField("ibv_qp_attr", "rq_psn", 20);
  static final CField QP_SQ_PSN = new CField("ibv_qp_attr", "sq_psn", 24);
  static final CField QP_DEST = new CField("ibv_qp_attr", "dest_qp_num", 28);
  static final CField QP_ACCESS = new CField("ibv_qp_attr", "qp_access_flags", 32);
  static final CField QP_DGID = new CField("ibv_qp_attr", "ah_attr.grh.dgid", 56);
  static final CField QP_SGID_INDEX = new CField("ibv_qp_attr", "ah_attr.grh.sgid_index", 76);
  static final CField QP_HOP_LIMIT = new CField("ibv_qp_attr", "ah_attr.grh.hop_limit", 77);
  static final CField QP_TRAFFIC_CLASS = new CField("ibv_qp_attr", "ah_attr.grh.traffic_class", 78);
  static final CField QP_DLID = new CField("ibv_qp_attr", "ah_attr.dlid", 80);
  static final CField QP_SL = new CField("ibv_qp_attr", "ah_attr.sl", 82);
  static final CField QP_IS_GLOBAL = new CField("ibv_qp_attr", "ah_attr.is_global", 85);
  static final CField QP_AH_PORT = new CField("ibv_qp_attr", "ah_attr.port_num", 86);
  static final CField QP_MIN_RNR_TIMER = new CField("ibv_qp_attr", "min_rnr_timer", 128);
  static final CField QP_PORT = new CField("ibv_qp_attr", "port_num", 129);
  static final CField QP_TIMEOUT = new CField("ibv_qp_attr", "timeout", 130);
  static final CField QP_RETRY_CNT = new CField("ibv_qp_attr", "retry_cnt", 131);
  static final CField QP_RNR_RETRY = new CField("ibv_qp_attr", "rnr_retry", 132);

  static final CField WR_ID = new CField("ibv_send_wr", "wr_id", 0);
  static final CField WR_NEXT = new CField("ibv_send_wr", "next", 8);
  static final CField WR_SG_LIST = new CField("ibv_send_wr", "sg_list", 16);
  static final CField WR_NUM_SGE = new CField("ibv_send_wr", "num_sge", 24);
  static final CField WR_OPCODE = new CField("ibv_send_wr", "opcode", 28);
  static final CField WR_FLAGS = new CField("ibv_send_wr", "send_flags", 32);
  static final CField WR_IMM = new CField("ibv_send_wr", "imm_data", 36);
  static final CField WR_REMOTE_ADDR = new CField("ibv_send_wr", "wr.rdma.remote_addr", 40);
  static final CField WR_RKEY = new CField("ibv_send_wr", "wr.rdma.rkey", 48);

  static final CField RECV_ID = new CField("ibv_recv_wr", "wr_id", 0);
  static final CField RECV_NEXT = new CField("ibv_recv_wr", "next", 8);

  static final CField SGE_ADDR = new CField("ibv_sge", "addr", 0);
  static final CField SGE_LENGTH = new CField("ibv_sge", "length", 8);
  static final CField SGE_LKEY = new CField("ibv_sge", "lkey", 12);

  static final CField WC_ID = new CField("ibv_wc", "wr_id", 0);
  static final CField WC_STATUS = new CField("ibv_wc", "status", 8);
  static final CField WC_VENDOR_ERR = new CField("ibv_wc", "vendor_err", 16);
  static final CField WC_BYTE_LEN = new CField("ibv_wc", "byte_len", 20);
  static final CField WC_IMM = new CField("ibv_wc", "imm_data", 24);
  static final CField WC_QP_NUM = new CField("ibv_wc", "qp_num", 28);
  static final CField WC_FLAGS = new CField("ibv_wc", "wc_flags", 36);

  static final CField EVENT_ELEMENT = new CField("ibv_async_event", "element", 0);
  static final CField EVENT_TYPE = new CField("ibv_async_event", "event_type", 8);

  static final long SEND_WR_BYTES = 128;
  static final long RECV_WR_BYTES = 32;
  static final long SGE_BYTES = 16;

  /** Bytes of a {@code ibv_wc}. */
  public static final long WC_BYTES = 48;

  static final long GID_ENTRY_BYTES = 32;
  static final long QP_ATTR_BYTES = 144;
  static final long QP_INIT_ATTR_BYTES = 64;
  static final long SRQ_INIT_ATTR_BYTES = 24;
  static final long DEVICE_ATTR_BYTES = 232;
  static final long PORT_ATTR_BYTES = 52;
  static final long EVENT_BYTES = 16;

  private IbLayout() {}
}
