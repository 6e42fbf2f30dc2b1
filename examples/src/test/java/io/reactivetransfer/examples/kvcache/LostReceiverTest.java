package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.time.Duration;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A decode process writes nothing: it is to be missed as soon as one that does. */
@Timeout(120)
class LostReceiverTest {

  /** Before that, prefill writes nothing that could fail; a peer is held for silent after 5 s. */
  private static final Duration NEXT_LAYER = Duration.ofSeconds(4);

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "libfabric"})
  void isFoundBeforeAWriteFailsOrItsSilenceIsNoticed(String backend) throws Exception {
    InstalledBackend.require(backend);
    try (JavaProcess program =
        JavaProcess.start(
            "io.reactivetransfer.examples.Main",
            "kv-cache",
            "--backend=" + backend,
            "--layers=10",
            "--pages=8",
            "--page-size=4096",
            "--layer-interval=" + NEXT_LAYER.toMillis(),
            "--deadline=100")) {
      Matcher pids = program.awaitLine("prefill is process (\\d+), decode is process (\\d+).*");
      program.awaitLine("1 of 10 layers written");
      long killed = System.nanoTime();
      ProcessHandle.of(Long.parseLong(pids.group(2))).orElseThrow().destroyForcibly();

      assertThat(program.exitCode()).isEqualTo(1);
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(NEXT_LAYER);
      assertThat(program.stderr()).startsWith("prefill: hand-over 1 with decode " + backend + ":");
    }
  }
}
