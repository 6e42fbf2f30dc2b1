package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutputTest {

  private static Process sh(String script) throws IOException {
    return new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
  }

  @Test
  void isAllThatAProgramSays() throws Exception {
    assertThat(Output.of(sh("echo one; echo two >&2"), Duration.ofSeconds(40)))
        .isEqualTo("one\ntwo\n");
  }

  @Test
  void aProgramThatDoesNotEndIsEnded() throws Exception {
    Process stuck = sh("echo begun; exec sleep 600");
    assertThatThrownBy(() -> Output.of(stuck, Duration.ofSeconds(1)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("expected an end within 1 s, got none");
    assertThat(stuck.waitFor()).isNotZero();
  }
}
