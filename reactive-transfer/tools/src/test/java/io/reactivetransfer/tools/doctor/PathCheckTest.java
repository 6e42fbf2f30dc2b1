package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import io.reactivetransfer.tools.CommandHere;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two commands as users start them on two hosts; here both are on one. */
// A usual build has the findings of doctor, and measures between processes by PerfTest.
@Tag("merge")
class PathCheckTest {

  /** With tcp alone there, as where no native library is installed, and for moments. */
  @Test
  void saysWhatEachSideHasAndWhatThePathCarries() throws Exception {
    check(List.of("-Dreactivetransfer.libfabric.library=/none"), "--seconds=0.1");
  }

  // In a usual build tcp is measured, and no other backend, and none for as long as a user has it.
  @Tag("nightly")
  @Test
  @Timeout(300) // it measures each backend for some seconds
  void measuresEachBackendThatThereIs() throws Exception {
    check(List.of());
  }

  /** That which connects is in this process. */
  private static void check(List<String> options, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("--sun-misc-unsafe-memory-access=allow"));
    all.addAll(options);
    try (JavaProcess there =
        JavaProcess.start(
            JavaProcess.command(
                all, "io.reactivetransfer.tools.Main", "doctor", "--listen=127.0.0.1:0"))) {
      String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
      List<String> words = new ArrayList<>(List.of("doctor", "--connect=127.0.0.1:" + port));
      words.addAll(List.of(arguments));
      CommandHere here = CommandHere.start(words.toArray(String[]::new));
      here.awaitLine("^There, at 127\\.0\\.0\\.1:" + port);
      here.awaitLine("^tcp +available");
      here.awaitLine("^From 127\\.0\\.0\\.1 to 127\\.0\\.0\\.1:");
      here.awaitLine("^tcp +connects: 8 bytes there and back in [0-9.,]+ us .* GB/s");
      assertThat(here.exitCode()).as(here::stderr).isZero();
      assertThat(there.exitCode()).as(there::stderr).isZero();
    }
  }

  @Test
  void needsTheSameCommandOnBothHosts() throws Exception {
    CommandHere there = CommandHere.start("perf", "--listen=127.0.0.1:0");
    String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
    CommandHere here = CommandHere.start("doctor", "--connect=127.0.0.1:" + port);
    assertThat(here.exitCode()).isEqualTo(1);
    assertThat(here.stderr()).contains("use the same one on both hosts").hasLineCount(1);
    assertThat(there.exitCode()).as(there::stderr).isZero();
  }
}
