package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.first.FirstWrite;
import org.junit.jupiter.api.Test;

class ReadmeTest {

  /** In a process of its own: one that left a thread behind, or anything else, would not end. */
  @Test
  void itsProgramRunsAndEndsByItself() throws Exception {
    ExampleRun run = ExampleRun.of(FirstWrite.class.getName());
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout()).isEqualTo("Arrived: One side writes, the other counts.\n");
    assertThat(run.stderr()).isEmpty();
  }
}
