package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import org.junit.jupiter.api.Test;

class ReadmeTest {

  @Test
  void itsProgramRuns() throws Exception {
    try (JavaProcess program = JavaProcess.start("io.reactivetransfer.examples.first.FirstWrite")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout()).isEqualTo("Arrived: One side writes, the other counts.\n");
      assertThat(program.stderr()).isEmpty();
    }
  }
}
