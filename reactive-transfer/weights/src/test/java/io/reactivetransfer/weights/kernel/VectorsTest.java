package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

class VectorsTest {

  private static final long MILLISECOND = 1_000_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @Test
  void theyAreTriedBehindTheSecondCompilerUnlessTheyAreSwitchedOff() {
    assertThat(Vectors.arePossible(null, "mixed mode, sharing")).isTrue();
    assertThat(Vectors.arePossible("auto", "mixed mode")).isTrue();
    assertThat(Vectors.arePossible("off", "mixed mode")).isFalse();
    assertThat(Vectors.arePossible("auto", "mixed mode, emulated-client")).isFalse();
    assertThat(Vectors.arePossible("auto", "interpreted mode")).isFalse();
  }

  @Test
  void anotherValueIsRefused() {
    assertThatThrownBy(() -> Vectors.arePossible("on", "mixed mode"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected auto or off for reactivetransfer.vectors, got 'on'");
  }

  @Test
  void theyAreUsedOnceTheyAreFaster() {
    Vectors vectors =
        new Vectors(() -> () -> spend(MILLISECOND), () -> () -> {}, 60_000 * MILLISECOND);
    vectors.compare();
    assertThat(vectors.areFaster()).isTrue();
  }

  @Test
  void whatIsSlowerIsGivenUp() {
    Vectors vectors = new Vectors(() -> () -> {}, () -> () -> spend(MILLISECOND), 20 * MILLISECOND);
    vectors.compare();
    assertThat(vectors.areFaster()).isFalse();
  }

  @Test
  void machinesWhoseVectorsDoNotSuitHaveNone() {
    Vectors vectors = new Vectors(() -> () -> {}, () -> null);
    vectors.compare();
    assertThat(vectors.areFaster()).isFalse();
  }

  /** As on an image of Java without the module, or when memory has come to its end. */
  @Test
  void whatCannotBeComparedIsGivenUp() {
    Vectors vectors =
        new Vectors(
            () -> () -> {},
            () -> {
              throw new NoClassDefFoundError("of a test");
            });
    vectors.tryToCompare();
    assertThat(vectors.areFaster()).isFalse();
  }

  /** Some agents do that. */
  @Test
  void whereTimesOfThreadsAreSwitchedOffTheyAreGivenUp() {
    Vectors vectors = new Vectors(() -> () -> {}, () -> () -> {}, Long.MAX_VALUE);
    THREADS.setThreadCpuTimeEnabled(false);
    try {
      vectors.compare();
    } finally {
      THREADS.setThreadCpuTimeEnabled(true);
    }
    assertThat(vectors.areFaster()).isFalse();
  }

  private static void spend(long nanos) {
    long end = THREADS.getCurrentThreadCpuTime() + nanos;
    while (THREADS.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }
}
