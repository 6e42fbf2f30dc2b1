package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a device never says is waited for a few times only, and then for a moment. */
class LastReceivesTest {

  private final LastReceives lastReceives = new LastReceives();

  private void waitInVain(int times) {
    for (int i = 0; i < times; i++) {
      assertThat(lastReceives.waitNanos()).isEqualTo(LastReceives.WAIT_NANOS);
      lastReceives.waitedInVain();
    }
  }

  @Test
  void aDeviceThatSaysNothingIsWaitedForAMomentOnly() {
    waitInVain(LastReceives.MOST_IN_VAIN);
    assertThat(lastReceives.waitNanos()).isEqualTo(LastReceives.SHORT_WAIT_NANOS);
  }

  @Test
  void aDeviceThatSaysItLateIsWaitedForAgain() {
    waitInVain(LastReceives.MOST_IN_VAIN - 1);
    lastReceives.said();
    waitInVain(LastReceives.MOST_IN_VAIN);
    lastReceives.said();
    assertThat(lastReceives.waitNanos()).isEqualTo(LastReceives.WAIT_NANOS);
  }
}
