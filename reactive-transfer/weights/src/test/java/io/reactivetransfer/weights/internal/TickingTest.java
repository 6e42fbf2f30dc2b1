package io.reactivetransfer.weights.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class TickingTest {

  private static final Duration TIME = Duration.ofMillis(250);

  @Test
  void aDeadlineIsCountedInTicksAndIsNotOverBefore() {
    assertThat(Ticking.ticks(Duration.ofSeconds(15), TIME)).isEqualTo(60);
    assertThat(Ticking.ticks(Duration.ofMillis(499), TIME)).isEqualTo(2);
    assertThat(Ticking.ticks(Duration.ofMillis(500), TIME)).isEqualTo(2);
    assertThat(Ticking.ticks(Duration.ofMillis(500).plusNanos(1), TIME)).isEqualTo(3);
    assertThat(Ticking.ticks(Duration.ofNanos(1), TIME)).isEqualTo(1);
  }

  @Test
  void oneThatIsLongerThanCanBeCountedIsNotReached() {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    assertThat(Ticking.ticks(forever, Duration.ofNanos(1))).isEqualTo(Long.MAX_VALUE);
    assertThat(Ticking.ticks(forever, TIME)).isEqualTo(Long.MAX_VALUE);
  }
}
