package io.reactivetransfer.libfabric.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ffm.ffi.CField;
import io.reactivetransfer.tck.driver.HeaderComparison;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LayoutTest extends HeaderComparison {

  LayoutTest() {
    super(
        "sys/uio.h",
        "rdma/fabric.h",
        "rdma/fi_cm.h",
        "rdma/fi_domain.h",
        "rdma/fi_endpoint.h",
        "rdma/fi_eq.h",
        "rdma/fi_errno.h",
        "rdma/fi_rma.h");
    CField.of(FiLayout.class).forEach(field -> expect(field.inC(), field.offset()));
    expectConstants(Fi.class, Map.of("API_VERSION", "FI_VERSION(1, 17)"));
    expect("sizeof(struct fi_cq_data_entry)", FiLayout.ENTRY_BYTES);
    expect("sizeof(struct fi_context2)", FiLayout.CONTEXT_BYTES);
    expect("sizeof(struct iovec)", FiLayout.IOVEC_BYTES);
    expect("sizeof(struct fi_rma_iov)", FiLayout.RMA_IOV_BYTES);
    expect("sizeof(struct fi_msg_rma)", FiLayout.MSG_RMA_BYTES);
    expect("sizeof(struct fi_av_attr)", FiLayout.AV_ATTR_BYTES);
    expect("sizeof(struct fi_cq_attr)", FiLayout.CQ_ATTR_BYTES);
  }

  @Test
  void thereIsRoomForAnErrorOfAnyVersion() throws IOException, InterruptedException {
    assertThat(valuesOf(List.of("sizeof(struct fi_cq_err_entry)")).getFirst())
        .isLessThanOrEqualTo(FiLayout.ERROR_BYTES);
  }

  @Test
  void thereIsRoomForWhatDescribesMemory() throws IOException, InterruptedException {
    assertThat(valuesOf(List.of("sizeof(struct fi_mr_attr)")).getFirst())
        .isLessThanOrEqualTo(FiLayout.MR_ATTR_BYTES);
  }
}
