package io.reactivetransfer.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is asked for may take as long as it must with the options that are allowed. */
class RequestsPatienceTest {

  /** Four at once: 50 of them one after the other. */
  @Test
  void pausesBetweenRequestsAreWaitedFor() {
    assertThat(DecodeNode.patience(200, Duration.ofSeconds(10)))
        .isGreaterThan(Duration.ofSeconds(50 * 10 + 60));
  }

  /** Each takes four layers of 2 ms. */
  @Test
  void manyRequestsAreWaitedFor() {
    assertThat(DecodeNode.patience(100_000, Duration.ZERO))
        .isGreaterThan(Duration.ofMillis(2 * 25_000 * 8));
  }
}
