package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.libfabric.ffi.Fi;
import org.junit.jupiter.api.Test;

class WritesTest {

  @Test
  void aQueueThatCannotBeReadAgainAndAgainIsBroken() {
    try (TappedNic nic = new TappedNic()) {
      nic.tap.reads(-Fi.FI_EINVAL);
      for (int i = 1; i < Breakage.MOST_FAILURES; i++) {
        nic.poll();
      }
      nic.tap.reads(-Fi.FI_EAGAIN);
      nic.poll();
      nic.tap.reads(-Fi.FI_EINVAL);
      nic.poll();
      assertThat(nic.writes.broken()).as("it could be read in between").isNull();
      for (int i = 1; i < Breakage.MOST_FAILURES; i++) {
        nic.poll();
      }
      Failure broken = nic.writes.broken();
      assertThat(broken).isNotNull();
      assertThat(broken.code()).isEqualTo(Fi.FI_EINVAL);
      assertThat(broken.text()).contains("fi_cq_read", "error 22");
    }
  }
}
