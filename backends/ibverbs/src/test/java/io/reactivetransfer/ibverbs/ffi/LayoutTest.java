package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.tck.driver.HeaderComparison;
import java.util.Map;

class LayoutTest extends HeaderComparison {

  LayoutTest() {
    super("infiniband/verbs.h");
    CField.of(IbLayout.class).forEach(field -> expect(field.inC(), field.offset()));
    expectConstants(Ib.class, Map.of());
    expect("sizeof(struct ibv_send_wr)", IbLayout.SEND_WR_BYTES);
    expect("sizeof(struct ibv_recv_wr)", IbLayout.RECV_WR_BYTES);
    expect("sizeof(struct ibv_sge)", IbLayout.SGE_BYTES);
    expect("sizeof(struct ibv_wc)", IbLayout.WC_BYTES);
    expect("sizeof(struct ibv_gid_entry)", IbLayout.GID_ENTRY_BYTES);
    expect("sizeof(struct ibv_qp_attr)", IbLayout.QP_ATTR_BYTES);
    expect("sizeof(struct ibv_qp_init_attr)", IbLayout.QP_INIT_ATTR_BYTES);
    expect("sizeof(struct ibv_srq_init_attr)", IbLayout.SRQ_INIT_ATTR_BYTES);
    expect("sizeof(struct ibv_device_attr)", IbLayout.DEVICE_ATTR_BYTES);
    expect("sizeof(struct ibv_port_attr)", IbLayout.PORT_ATTR_BYTES);
    expect("sizeof(struct ibv_async_event)", IbLayout.EVENT_BYTES);
    expect("sizeof(union ibv_gid)", Gid.BYTES);
  }
}
