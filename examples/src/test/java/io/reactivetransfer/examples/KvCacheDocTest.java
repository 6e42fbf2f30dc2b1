package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import org.junit.jupiter.api.Test;

/** What docs/kv-cache.md shows runs. */
class KvCacheDocTest {

  @Test
  void itsProgramRuns() throws Exception {
    try (JavaProcess program =
        JavaProcess.start("io.reactivetransfer.examples.first.FirstHandOver")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout()).isEqualTo("Pages are free again.\nArrived: 20 tokens of 42.\n");
      assertThat(program.stderr()).isEmpty();
    }
  }
}
