package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.first.FirstHandOver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What docs/kv-cache.md shows runs. */
class KvCacheDocTest {

  private static void assertHasRun(ExampleRun run) {
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout()).isEqualTo("Pages are free again.\nArrived: 20 tokens of 42.\n");
    assertThat(run.stderr()).isEmpty();
  }

  @Test
  void itsProgramRuns() {
    assertHasRun(ExampleRun.here("first-hand-over"));
  }

  // In a usual build ReadmeTest shows that a program ends by itself.
  @Tag("nightly")
  @Test
  void itsProgramEndsByItself() throws Exception {
    assertHasRun(ExampleRun.of(FirstHandOver.class.getName()));
  }
}
