package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LayoutTest {

  @Test
  void everyOperationInFlightHasASlotWhileTheyFit() {
    Layout layout = new Layout(100, 7, 5, 0);
    assertThat(layout.slots()).isEqualTo(5);
    assertThat(layout.bytes()).isEqualTo(3500);
    assertThat(layout.offset(6)).isEqualTo(700);
    assertThat(layout.covered(3)).isEqualTo(2100);
    assertThat(layout.covered(30)).isEqualTo(3500);
  }

  @Test
  void largeOperationsShareSlots() {
    Layout layout = new Layout(40L << 20, 1, 64, 0);
    assertThat(layout.slots()).isEqualTo(1);
    assertThat(layout.bytes()).isEqualTo(40L << 20);
    assertThat(layout.offset(63)).isZero();
  }

  @Test
  void operationsGoOverAsMuchMemoryAsIsAskedFor() {
    Layout layout = new Layout(1 << 20, 4, 3, 50 << 20);
    assertThat(layout.slots()).isEqualTo(12);
    assertThat(layout.prepared()).isEqualTo(12);
    assertThat(layout.bytes()).isEqualTo(48 << 20);
    assertThat(layout.offset(11)).isEqualTo(44 << 20);
    assertThat(new Layout(1, 1, 3, 1L << 32).slots()).isEqualTo(Layout.MAX_SLOTS);
  }

  @Test
  void aSmallerSizeMayNeedMoreThanTheLargest() {
    Plan plan = PerfCommand.planOf(List.of("--size=64K,820M", "--memory=4G"));
    assertThat(Layout.of(plan, plan.largest()).bytes()).isEqualTo(4 * 820L << 20);
    assertThat(Layout.mostBytes(plan)).isEqualTo(4L << 30);
  }

  @Test
  void operationsInFlightShareWhatIsAskedFor() {
    Layout layout = new Layout(64 << 10, 1, 16, 128 << 10);
    assertThat(layout.slots()).isEqualTo(2);
    assertThat(layout.prepared()).isEqualTo(16);
    assertThat(layout.bytes()).isEqualTo(128 << 10);
    assertThat(layout.offset(3)).isEqualTo(64 << 10);
    assertThat(layout.covered(16)).isEqualTo(128 << 10);
    assertThat(new Layout(1 << 20, 1, 16, 64 << 10).slots()).as("that of one").isEqualTo(1);
  }
}
