package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What docs/kv-cache.md shows runs. */
class KvCacheDocTest {

  @Test
  void itsProgramRuns() {
    ExampleRun run = ExampleRun.here("first-hand-over");
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout()).isEqualTo("Pages are free again.\nArrived: 20 tokens of 42.\n");
    assertThat(run.stderr()).isEmpty();
  }
}
