package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadmeTest {

  @Test
  void itsProgramRuns() {
    ExampleRun run = ExampleRun.here("first-write");
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout()).isEqualTo("Arrived: One side writes, the other counts.\n");
    assertThat(run.stderr()).isEmpty();
  }
}
