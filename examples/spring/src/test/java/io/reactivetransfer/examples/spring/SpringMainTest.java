package io.reactivetransfer.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What whoever has started both nodes is told by the exit code. */
class SpringMainTest {

  private static final int KILLED = 128 + 9;
  private static final int CRASHED = 128 + 6;

  @Test
  void aNodeThatHasFailedIsOne() {
    assertThat(SpringMain.exitCode(List.of(1, 1))).isEqualTo(1);
    assertThat(SpringMain.exitCode(List.of(KILLED, 3))).isEqualTo(3);
    assertThat(SpringMain.exitCode(List.of(0, CRASHED))).isEqualTo(CRASHED);
  }

  /** That is what the example is there for. */
  @Test
  void aNodeThatWasKilledIsNone() {
    assertThat(SpringMain.exitCode(List.of(0, 0))).isZero();
    assertThat(SpringMain.exitCode(List.of(KILLED, 0))).isZero();
  }
}
