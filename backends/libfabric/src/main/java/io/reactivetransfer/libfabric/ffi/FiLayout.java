package io.reactivetransfer.libfabric.ffi;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;

/**
 * Where the fields lie that are read or written here, on a 64-bit Linux. They are the same from
 * libfabric 1.17 to 2.6; a test compares each with the installed headers.
 */
public final class FiLayout {

  static final FiField INFO_NEXT = new FiField("fi_info", "next", 0);
  static final FiField INFO_CAPS = new FiField("fi_info", "caps", 8);
  static final FiField INFO_MODE = new FiField("fi_info", "mode", 16);
  static final FiField INFO_HANDLE = new FiField("fi_info", "handle", 64);
  static final FiField INFO_TX_ATTR = new FiField("fi_info", "tx_attr", 72);
  static final FiField INFO_RX_ATTR = new FiField("fi_info", "rx_attr", 80);
  static final FiField INFO_EP_ATTR = new FiField("fi_info", "ep_attr", 88);
  static final FiField INFO_DOMAIN_ATTR = new FiField("fi_info", "domain_attr", 96);
  static final FiField INFO_FABRIC_ATTR = new FiField("fi_info", "fabric_attr", 104);
  static final FiField INFO_NIC = new FiField("fi_info", "nic", 112);

  static final FiField TX_OP_FLAGS = new FiField("fi_tx_attr", "op_flags", 16);
  static final FiField TX_MSG_ORDER = new FiField("fi_tx_attr", "msg_order", 24);
  static final FiField TX_INJECT_SIZE = new FiField("fi_tx_attr", "inject_size", 40);
  static final FiField TX_SIZE = new FiField("fi_tx_attr", "size", 48);
  static final FiField TX_IOV_LIMIT = new FiField("fi_tx_attr", "iov_limit", 56);
  static final FiField TX_RMA_IOV_LIMIT = new FiField("fi_tx_attr", "rma_iov_limit", 64);
  static final FiField RX_MSG_ORDER = new FiField("fi_rx_attr", "msg_order", 24);

  static final FiField EP_TYPE = new FiField("fi_ep_attr", "type", 0);
  static final FiField EP_MAX_MSG_SIZE = new FiField("fi_ep_attr", "max_msg_size", 16);

  static final FiField DOMAIN_NAME = new FiField("fi_domain_attr", "name", 8);
  static final FiField DOMAIN_THREADING = new FiField("fi_domain_attr", "threading", 16);
  static final FiField DOMAIN_CONTROL_PROGRESS =
      new FiField("fi_domain_attr", "control_progress", 20);
  static final FiField DOMAIN_DATA_PROGRESS = new FiField("fi_domain_attr", "data_progress", 24);
  static final FiField DOMAIN_RESOURCE_MGMT = new FiField("fi_domain_attr", "resource_mgmt", 28);
  static final FiField DOMAIN_AV_TYPE = new FiField("fi_domain_attr", "av_type", 32);
  static final FiField DOMAIN_MR_MODE = new FiField("fi_domain_attr", "mr_mode", 36);
  static final FiField DOMAIN_MR_KEY_SIZE = new FiField("fi_domain_attr", "mr_key_size", 40);
  static final FiField DOMAIN_CQ_DATA_SIZE = new FiField("fi_domain_attr", "cq_data_size", 48);

  static final FiField FABRIC_PROV_NAME = new FiField("fi_fabric_attr", "prov_name", 16);

  static final FiField NIC_BUS_ATTR = new FiField("fid_nic", "bus_attr", 32);
  static final FiField NIC_LINK_ATTR = new FiField("fid_nic", "link_attr", 40);
  static final FiField BUS_TYPE = new FiField("fi_bus_attr", "bus_type", 0);
  static final FiField BUS_PCI_DOMAIN = new FiField("fi_bus_attr", "attr.pci.domain_id", 4);
  static final FiField BUS_PCI_BUS = new FiField("fi_bus_attr", "attr.pci.bus_id", 6);
  static final FiField BUS_PCI_DEVICE = new FiField("fi_bus_attr", "attr.pci.device_id", 7);
  static final FiField BUS_PCI_FUNCTION = new FiField("fi_bus_attr", "attr.pci.function_id", 8);
  static final FiField LINK_SPEED = new FiField("fi_link_attr", "speed", 16);

  // What can be closed, bound and controlled begins with a fid, and has its own calls behind it.
  static final FiField FID_OPS = new FiField("fid", "ops", 16);
  static final FiField OPS_CLOSE = new FiField("fi_ops", "close", 8);
  static final FiField OPS_BIND = new FiField("fi_ops", "bind", 16);
  static final FiField OPS_CONTROL = new FiField("fi_ops", "control", 24);
  static final FiField FABRIC_OPS = new FiField("fid_fabric", "ops", 24);
  static final FiField FABRIC_OPS_DOMAIN = new FiField("fi_ops_fabric", "domain", 8);
  static final FiField FABRIC_OPS_PASSIVE_EP = new FiField("fi_ops_fabric", "passive_ep", 16);
  static final FiField FABRIC_OPS_EQ_OPEN = new FiField("fi_ops_fabric", "eq_open", 24);
  static final FiField FABRIC_OPS_TRYWAIT = new FiField("fi_ops_fabric", "trywait", 40);
  static final FiField DOMAIN_OPS = new FiField("fid_domain", "ops", 24);
  static final FiField DOMAIN_MR = new FiField("fid_domain", "mr", 32);
  static final FiField DOMAIN_OPS_AV_OPEN = new FiField("fi_ops_domain", "av_open", 8);
  static final FiField DOMAIN_OPS_CQ_OPEN = new FiField("fi_ops_domain", "cq_open", 16);
  static final FiField DOMAIN_OPS_ENDPOINT = new FiField("fi_ops_domain", "endpoint", 24);
  static final FiField MR_OPS_REG = new FiField("fi_ops_mr", "reg", 8);
  static final FiField MR_DESC = new FiField("fid_mr", "mem_desc", 24);
  static final FiField MR_KEY = new FiField("fid_mr", "key", 32);
  static final FiField EP_CM = new FiField("fid_ep", "cm", 32);
  static final FiField EP_RMA = new FiField("fid_ep", "rma", 48);
  static final FiField CM_GETNAME = new FiField("fi_ops_cm", "getname", 16);
  static final FiField RMA_WRITEMSG = new FiField("fi_ops_rma", "writemsg", 48);
  static final FiField CM_CONNECT = new FiField("fi_ops_cm", "connect", 32);
  static final FiField CM_LISTEN = new FiField("fi_ops_cm", "listen", 40);
  static final FiField CM_ACCEPT = new FiField("fi_ops_cm", "accept", 48);
  static final FiField CM_REJECT = new FiField("fi_ops_cm", "reject", 56);
  static final FiField PEP_CM = new FiField("fid_pep", "cm", 32);
  static final FiField EQ_OPS = new FiField("fid_eq", "ops", 24);
  static final FiField EQ_OPS_READ = new FiField("fi_ops_eq", "read", 8);
  static final FiField EQ_OPS_READERR = new FiField("fi_ops_eq", "readerr", 16);
  static final FiField CQ_OPS = new FiField("fid_cq", "ops", 24);
  static final FiField CQ_OPS_READ = new FiField("fi_ops_cq", "read", 8);
  static final FiField CQ_OPS_READERR = new FiField("fi_ops_cq", "readerr", 24);
  static final FiField CQ_OPS_STRERROR = new FiField("fi_ops_cq", "strerror", 56);
  static final FiField AV_OPS = new FiField("fid_av", "ops", 24);
  static final FiField AV_OPS_INSERT = new FiField("fi_ops_av", "insert", 8);
  static final FiField AV_OPS_REMOVE = new FiField("fi_ops_av", "remove", 32);

  static final FiField AV_ATTR_TYPE = new FiField("fi_av_attr", "type", 0);
  static final FiField AV_ATTR_COUNT = new FiField("fi_av_attr", "count", 8);
  static final FiField CQ_ATTR_SIZE = new FiField("fi_cq_attr", "size", 0);
  static final FiField CQ_ATTR_FORMAT = new FiField("fi_cq_attr", "format", 16);
  static final FiField CQ_ATTR_WAIT_OBJ = new FiField("fi_cq_attr", "wait_obj", 20);

  static final FiField IOVEC_BASE = new FiField("iovec", "iov_base", 0);
  static final FiField IOVEC_LEN = new FiField("iovec", "iov_len", 8);
  static final FiField RMA_IOV_ADDR = new FiField("fi_rma_iov", "addr", 0);
  static final FiField RMA_IOV_LEN = new FiField("fi_rma_iov", "len", 8);
  static final FiField RMA_IOV_KEY = new FiField("fi_rma_iov", "key", 16);
  static final FiField MSG_RMA_MSG_IOV = new FiField("fi_msg_rma", "msg_iov", 0);
  static final FiField MSG_RMA_DESC = new FiField("fi_msg_rma", "desc", 8);
  static final FiField MSG_RMA_IOV_COUNT = new FiField("fi_msg_rma", "iov_count", 16);
  static final FiField MSG_RMA_ADDR = new FiField("fi_msg_rma", "addr", 24);
  static final FiField MSG_RMA_RMA_IOV = new FiField("fi_msg_rma", "rma_iov", 32);
  static final FiField MSG_RMA_RMA_IOV_COUNT = new FiField("fi_msg_rma", "rma_iov_count", 40);
  static final FiField MSG_RMA_CONTEXT = new FiField("fi_msg_rma", "context", 48);
  static final FiField MSG_RMA_DATA = new FiField("fi_msg_rma", "data", 56);

  static final FiField EQ_ATTR_SIZE = new FiField("fi_eq_attr", "size", 0);
  static final FiField EQ_ATTR_WAIT_OBJ = new FiField("fi_eq_attr", "wait_obj", 16);
  static final FiField CM_ENTRY_FID = new FiField("fi_eq_cm_entry", "fid", 0);
  static final FiField CM_ENTRY_INFO = new FiField("fi_eq_cm_entry", "info", 8);
  static final FiField CM_ENTRY_DATA = new FiField("fi_eq_cm_entry", "data", 16);
  static final FiField EQ_ERROR_FID = new FiField("fi_eq_err_entry", "fid", 0);
  static final FiField EQ_ERROR_ERR = new FiField("fi_eq_err_entry", "err", 24);

  static final FiField ENTRY_CONTEXT = new FiField("fi_cq_data_entry", "op_context", 0);
  static final FiField ENTRY_FLAGS = new FiField("fi_cq_data_entry", "flags", 8);
  static final FiField ENTRY_DATA = new FiField("fi_cq_data_entry", "data", 32);
  static final FiField ERROR_CONTEXT = new FiField("fi_cq_err_entry", "op_context", 0);
  static final FiField ERROR_ERR = new FiField("fi_cq_err_entry", "err", 56);
  static final FiField ERROR_PROV_ERRNO = new FiField("fi_cq_err_entry", "prov_errno", 60);
  static final FiField ERROR_ERR_DATA = new FiField("fi_cq_err_entry", "err_data", 64);

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

  static final long IOVEC_BYTES = 16;
  static final long RMA_IOV_BYTES = 24;
  static final long MSG_RMA_BYTES = 64;
  static final long EQ_ATTR_BYTES = 32;
  static final long AV_ATTR_BYTES = 48;
  static final long CQ_ATTR_BYTES = 40;

  private FiLayout() {}

  /** All fields, for the comparison with the headers. */
  public static List<FiField> fields() {
    return Arrays.stream(FiLayout.class.getDeclaredFields())
        .filter(field -> field.getType() == FiField.class)
        .map(FiLayout::valueOf)
        .toList();
  }

  private static FiField valueOf(Field field) {
    try {
      return (FiField) field.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
