package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A time becomes the power of two that is at least as long. */
class AckTimingTest {

  @Test
  void theShortestThatIsLongEnoughIsTaken() {
    assertThat(AckTiming.of(Duration.ofNanos(1), 0).exponent()).isEqualTo(1);
    assertThat(AckTiming.of(Duration.ofNanos(8_192), 0).exponent()).isEqualTo(1);
    assertThat(AckTiming.of(Duration.ofNanos(8_193), 0).exponent()).isEqualTo(2);
    assertThat(AckTiming.of(Duration.ofNanos(4_096L << 14), 0).exponent()).isEqualTo(14);
    assertThat(AckTiming.of(Duration.ofNanos((4_096L << 14) + 1), 0).exponent()).isEqualTo(15);
    assertThat(AckTiming.of(Duration.ofNanos(4_096L << 31), 0).exponent()).isEqualTo(31);
  }

  @Test
  void whatVerbsCannotSayIsRefused() {
    for (Duration timeout :
        new Duration[] {
          Duration.ZERO, Duration.ofNanos(-1), Duration.ofNanos((4_096L << 31) + 1)
        }) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> AckTiming.of(timeout, 0))
          .withMessageContaining("more than 0 and at most 8796 s, got " + timeout);
    }
    for (int retries : new int[] {-1, 7}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> AckTiming.of(Duration.ofMillis(1), retries))
          .withMessage("expected 0 to 6 retries, got " + retries);
    }
  }

  @Test
  void aPeerIsLostAfterAllRetries() {
    assertThat(AckTiming.of(Duration.ofNanos(8_192), 0).untilLost())
        .isEqualTo(Duration.ofNanos(8_192));
    assertThat(AckTiming.of(Duration.ofNanos(8_192), 6).untilLost())
        .isEqualTo(Duration.ofNanos(7 * 8_192));
  }
}
