package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LayoutTest {

  @Test
  void everyOperationInFlightHasASlotWhileTheyFit() {
    Layout layout = new Layout(100, 7, 5);
    assertThat(layout.slots()).isEqualTo(5);
    assertThat(layout.bytes()).isEqualTo(3500);
    assertThat(layout.offset(6)).isEqualTo(700);
    assertThat(layout.covered(3)).isEqualTo(2100);
    assertThat(layout.covered(30)).isEqualTo(3500);
  }

  @Test
  void largeOperationsShareSlots() {
    Layout layout = new Layout(40L << 20, 1, 64);
    assertThat(layout.slots()).isEqualTo(1);
    assertThat(layout.bytes()).isEqualTo(40L << 20);
    assertThat(layout.offset(63)).isZero();
  }
}
