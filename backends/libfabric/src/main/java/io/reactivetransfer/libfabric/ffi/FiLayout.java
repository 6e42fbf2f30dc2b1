package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.CField;

/**
 * Where the fields lie that are read or written here, on a 64-bit Linux. They are the same from
 * libfabric 1.17 to 2.6; a test compares each with the installed headers.
 */
public final class FiLayout {

  static final CField INFO_NEXT = new CField("fi_info", "next", 0);
  static final CField INFO_CAPS = new CField("fi_info", "caps", 8);
  static final CField INFO_MODE = new CField("fi_info", "mode", 16);
  static final CField INFO_HANDLE = new CField("fi_info", "handle", 64);
  static final CField INFO_TX_ATTR = new CField("fi_info", "tx_attr", 72);
  static final CField INFO_EP_ATTR = new CField("fi_info", "ep_attr", 88);
  static final CField INFO_DOMAIN_ATTR = new CField("fi_info", "domain_attr", 96);
  static final CField INFO_FABRIC_ATTR = new CField("fi_info", "fabric_attr", 104);
  static final CField INFO_NIC = new CField("fi_info", "nic", 112);

  static final CField TX_OP_FLAGS = new CField("fi_tx_attr", "op_flags", 16);
  static final CField TX_INJECT_SIZE = new CField("fi_tx_attr", "inject_size", 40);
  static final CField TX_SIZE = new CField("fi_tx_attr", "size", 48);
  static final CField TX_IOV_LIMIT = new CField("fi_tx_attr", "iov_limit", 56);
  static final CField TX_RMA_IOV_LIMIT = new CField("fi_tx_attr", "rma_iov_limit", 64);

  static final CField EP_TYPE = new CField("fi_ep_attr", "type", 0);
  static final CField EP_MAX_MSG_SIZE = new CField("fi_ep_attr", "max_msg_size", 16);

  static final CField DOMAIN_NAME = new CField("fi_domain_attr", "name", 8);
  static final CField DOMAIN_THREADING = new CField("fi_domain_attr", "threading", 16);
  static final CField DOMAIN_CONTROL_PROGRESS =
      new CField("fi_domain_attr", "control_progress", 20);
  static final CField DOMAIN_DATA_PROGRESS = new CField("fi_domain_attr", "data_progress", 24);
  static final CField DOMAIN_RESOURCE_MGMT = new CField("fi_domain_attr", "resource_mgmt", 28);
  static final CField DOMAIN_AV_TYPE = new CField("fi_domain_attr", "av_type", 32);
  static final CField DOMAIN_MR_MODE = new CField("fi_domain_attr", "mr_mode", 36);
  static final CField DOMAIN_MR_KEY_SIZE = new CField("fi_domain_attr", "mr_key_size", 40);
  static final CField DOMAIN_CQ_DATA_SIZE = new CField("fi_domain_attr", "cq_data_size", 48);

  static final CField FABRIC_PROV_NAME = new CField("fi_fabric_attr", "prov_name", 16);

  static final CField NIC_BUS_ATTR = new CField("fid_nic", "bus_attr", 32);
  static final CField NIC_LINK_ATTR = new CField("fid_nic", "link_attr", 40);
  static final CField BUS_TYPE = new CField("fi_bus_attr", "bus_type", 0);
  static final CField BUS_PCI_DOMAIN = new CField("fi_bus_attr", "attr.pci.domain_id", 4);
  static final CField BUS_PCI_BUS = new CField("fi_bus_attr", "attr.pci.bus_id", 6);
  static final CField BUS_PCI_DEVICE = new CField("fi_bus_attr", "attr.pci.device_id", 7);
  static final CField BUS_PCI_FUNCTION = new CField("fi_bus_attr", "attr.pci.function_id", 8);
  static final CField LINK_SPEED = new CField("fi_link_attr", "speed", 16);

  // What can be closed, bound and controlled begins with a fid, and has its own calls behind it.
  static final CField FID_OPS = new CField("fid", "ops", 16);
  static final CField OPS_CLOSE = new CField("fi_ops", "close", 8);
  static final CField OPS_BIND = new CField("fi_ops", "bind", 16);
  static final CField OPS_CONTROL = new CField("fi_ops", "control", 24);
  static final CField FABRIC_OPS = new CField("fid_fabric", "ops", 24);
  static final CField FABRIC_OPS_DOMAIN = new CField("fi_ops_fabric", "domain", 8);
  static final CField FABRIC_OPS_PASSIVE_EP = new CField("fi_ops_fabric", "passive_ep", 16);
  static final CField FABRIC_OPS_EQ_OPEN = new CField("fi_ops_fabric", "eq_open", 24);
  static final CField FABRIC_OPS_TRYWAIT = new CField("fi_ops_fabric", "trywait", 40);
  static final CField DOMAIN_OPS = new CField("fid_domain", "ops", 24);
  static final CField DOMAIN_MR = new CField("fid_domain", "mr", 32);
  static final CField DOMAIN_OPS_AV_OPEN = new CField("fi_ops_domain", "av_open", 8);
  static final CField DOMAIN_OPS_CQ_OPEN = new CField("fi_ops_domain", "cq_open", 16);
  static final CField DOMAIN_OPS_ENDPOINT = new CField("fi_ops_domain", "endpoint", 24);
  static final CField MR_OPS_REG = new CField("fi_ops_mr", "reg", 8);
  static final CField MR_OPS_REGATTR = new CField("fi_ops_mr", "regattr", 24);
  static final CField MR_ATTR_IOV = new CField("fi_mr_attr", "mr_iov", 0);
  static final CField MR_ATTR_IOV_COUNT = new CField("fi_mr_attr", "iov_count", 8);
  static final CField MR_ATTR_ACCESS = new CField("fi_mr_attr", "access", 16);
  static final CField MR_ATTR_KEY = new CField("fi_mr_attr", "requested_key", 32);
  static final CField MR_ATTR_IFACE = new CField("fi_mr_attr", "iface", 64);
  static final CField MR_ATTR_CUDA = new CField("fi_mr_attr", "device.cuda", 72);
  static final CField MR_DESC = new CField("fid_mr", "mem_desc", 24);
  static final CField MR_KEY = new CField("fid_mr", "key", 32);
  static final CField EP_CM = new CField("fid_ep", "cm", 32);
  static final CField EP_RMA = new CField("fid_ep", "rma", 48);
  static final CField CM_GETNAME = new CField("fi_ops_cm", "getname", 16);
  static final CField RMA_WRITEMSG = new CField("fi_ops_rma", "writemsg", 48);
  static final CField CM_CONNECT = new CField("fi_ops_cm", "connect", 32);
  static final CField CM_LISTEN = new CField("fi_ops_cm", "listen", 40);
  static final CField CM_ACCEPT = new CField("fi_ops_cm", "accept", 48);
  static final CField CM_REJECT = new CField("fi_ops_cm", "reject", 56);
  static final CField PEP_CM = new CField("fid_pep", "cm", 32);
  static final CField EQ_OPS = new CField("fid_eq", "ops", 24);
  static final CField EQ_OPS_READ = new CField("fi_ops_eq", "read", 8);
  static final CField EQ_OPS_READERR = new CField("fi_ops_eq", "readerr", 16);
  static final CField CQ_OPS = new CField("fid_cq", "ops", 24);
  static final CField CQ_OPS_READ = new CField("fi_ops_cq", "read", 8);
  static final CField CQ_OPS_READERR = new CField("fi_ops_cq", "readerr", 24);
  static final CField CQ_OPS_STRERROR = new CField("fi_ops_cq", "strerror", 56);
  static final CField AV_OPS = new CField("fid_av", "ops", 24);
  static final CField AV_OPS_INSERT = new CField("fi_ops_av", "insert", 8);
  static final CField AV_OPS_REMOVE = new CField("fi_ops_av", "remove", 32);

  static final CField AV_ATTR_TYPE = new CField("fi_av_attr", "type", 0);
  static final CField AV_ATTR_COUNT = new CField("fi_av_attr", "count", 8);
  static final CField CQ_ATTR_SIZE = new CField("fi_cq_attr", "size", 0);
  static final CField CQ_ATTR_FORMAT = new CField("fi_cq_attr", "format", 16);
  static final CField CQ_ATTR_WAIT_OBJ = new CField("fi_cq_attr", "wait_obj", 20);

  static final CField IOVEC_BASE = new CField("iovec", "iov_base", 0);
  static final CField IOVEC_LEN = new CField("iovec", "iov_len", 8);
  static final CField RMA_IOV_ADDR = new CField("fi_rma_iov", "addr", 0);
  static final CField RMA_IOV_LEN = new CField("fi_rma_iov", "len", 8);
  static final CField RMA_IOV_KEY = new CField("fi_rma_iov", "key", 16);
  static final CField MSG_RMA_MSG_IOV = new CField("fi_msg_rma", "msg_iov", 0);
  static final CField MSG_RMA_DESC = new CField("fi_msg_rma", "desc", 8);
  static final CField MSG_RMA_IOV_COUNT = new CField("fi_msg_rma", "iov_count", 16);
  static final CField MSG_RMA_ADDR = new CField("fi_msg_rma", "addr", 24);
  static final CField MSG_RMA_RMA_IOV = new CField("fi_msg_rma", "rma_iov", 32);
  static final CField MSG_RMA_RMA_IOV_COUNT = new CField("fi_msg_rma", "rma_iov_count", 40);
  static final CField MSG_RMA_CONTEXT = new CField("fi_msg_rma", "context", 48);
  static final CField MSG_RMA_DATA = new CField("fi_msg_rma", "data", 56);

  static final CField EQ_ATTR_SIZE = new CField("fi_eq_attr", "size", 0);
  static final CField EQ_ATTR_WAIT_OBJ = new CField("fi_eq_attr", "wait_obj", 16);
  static final CField CM_ENTRY_FID = new CField("fi_eq_cm_entry", "fid", 0);
  static final CField CM_ENTRY_INFO = new CField("fi_eq_cm_entry", "info", 8);
  static final CField CM_ENTRY_DATA = new CField("fi_eq_cm_entry", "data", 16);
  static final CField EQ_ERROR_FID = new CField("fi_eq_err_entry", "fid", 0);
  static final CField EQ_ERROR_ERR = new CField("fi_eq_err_entry", "err", 24);

  static final CField ENTRY_CONTEXT = new CField("fi_cq_data_entry", "op_context", 0);
  static final CField ENTRY_FLAGS = new CField("fi_cq_data_entry", "flags", 8);
  static final CField ENTRY_LEN = new CField("fi_cq_data_entry", "len", 16);
  static final CField ENTRY_DATA = new CField("fi_cq_data_entry", "data", 32);
  static final CField ERROR_CONTEXT = new CField("fi_cq_err_entry", "op_context", 0);
  static final CField ERROR_ERR = new CField("fi_cq_err_entry", "err", 56);
  static final CField ERROR_PROV_ERRNO = new CField("fi_cq_err_entry", "prov_errno", 60);
  static final CField ERROR_ERR_DATA = new CField("fi_cq_err_entry", "err_data", 64);

  /** Bytes of a {@code fi_cq_data_entry}. */
  public static final long ENTRY_BYTES = 40;

  /**
   * Bytes given to {@code fi_cq_readerr}: more than the entry has, which grows at its end from
   * version to version, and zeroed, as the manual asks for.
   */
  public static final long ERROR_BYTES = 128;

  /** Bytes of a {@code fi_context2}, which is what an operation's context must point to. */
  public static final long CONTEXT_BYTES = 64;

  /** More than a {@code fi_eq_cm_entry} and a {@code fi_eq_err_entry} have. */
  static final long EVENT_BYTES = 256;

  /** More than a {@code fi_mr_attr} has, which grows at its end from version to version. */
  static final long MR_ATTR_BYTES = 256;

  static final long IOVEC_BYTES = 16;
  static final long RMA_IOV_BYTES = 24;
  static final long MSG_RMA_BYTES = 64;
  static final long EQ_ATTR_BYTES = 32;
  static final long AV_ATTR_BYTES = 48;
  static final long CQ_ATTR_BYTES = 40;

  private FiLayout() {}
}
