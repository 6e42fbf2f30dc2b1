package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LookClockTest {

  private static final long SECOND = 1_000_000_000;

  private final LookClock clock = new LookClock(5 * SECOND);

  @Test
  void timeInWhichTheNicIsPolledCounts() {
    for (int i = 1; i <= 100; i++) {
      clock.polled(5 * SECOND + i * SECOND / 10);
    }
    assertThat(clock.getAsLong()).isEqualTo(10 * SECOND);
  }

  @Test
  void aLongPauseHardlyCounts() {
    clock.polled(3_600 * SECOND);
    assertThat(clock.getAsLong()).isLessThan(SECOND);
  }
}
