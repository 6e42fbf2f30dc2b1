package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.first.FirstHandOver;
import org.junit.jupiter.api.Test;

/** What docs/kv-cache.md shows runs. */
class KvCacheDocTest {

  @Test
  void itsProgramRuns() throws Exception {
    ExampleRun run = ExampleRun.of(FirstHandOver.class.getName()); // and ends by itself
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout()).isEqualTo("Pages are free again.\nArrived: 20 tokens of 42.\n");
    assertThat(run.stderr()).isEmpty();
  }
}
