package io.reactivetransfer.examples.jlama;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same program over a native library, where it is installed. */
// In a usual build it runs over tcp and loopback, and hand-overs of the library over libfabric.
@Tag("nightly")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class JlamaLibfabricTest {

  @BeforeAll
  static void isOnItsPlatform() {
    Requires.jlama();
    Requires.backend("libfabric");
  }

  @Test
  void tokensStayTheSameWheneverAnOrderEnds() throws Exception {
    int seed = ThreadLocalRandom.current().nextInt(1 << 20);
    try (JavaProcess program =
        Programs.jlama(
            "--backend=libfabric",
            "--layers=2",
            "--decode-block-tokens=8",
            "--disturb=3",
            "--seed=" + seed)) {
      assertThat(Programs.exitCode(program))
          .as(() -> "--seed=" + seed + ": " + program.stderr())
          .isZero();
      assertThat(program.stdout())
          .contains("over libfabric", "disturbed      3 orders at random moments")
          .contains("tokens         identical: 11 prompts of 8 tokens")
          .containsPattern("blocks         decode.*: 0 of \\d+ lost")
          .containsPattern("blocks         prefill-1.*: 0 of \\d+ lost");
    }
  }
}
