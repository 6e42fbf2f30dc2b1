package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A worker may take as long as an update may, or as its weights are large. */
class AnswersPatienceTest {

  @Test
  void answersAreAwaitedLongerThanTheDeadline() {
    assertThat(Cluster.patience(Duration.ofHours(1), 0)).isGreaterThan(Duration.ofHours(2));
    assertThat(Cluster.patience(Duration.ofMinutes(1), 100L << 30))
        .isGreaterThan(Duration.ofHours(5));
  }
}
