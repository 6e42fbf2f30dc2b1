package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two commands as users start them on two hosts; here both are on one. */
class PathCheckTest {

  private static JavaProcess tool(String... arguments) throws Exception {
    return JavaProcess.start("io.reactivetransfer.tools.Main", arguments);
  }

  @Test
  @Timeout(300) // it measures each backend for some seconds
  void saysWhatEachSideHasAndWhatThePathCarries() throws Exception {
    try (JavaProcess there = tool("doctor", "--listen=127.0.0.1:0")) {
      String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
      try (JavaProcess here = tool("doctor", "--connect=127.0.0.1:" + port)) {
        here.awaitLine("^There, at 127\\.0\\.0\\.1:" + port);
        here.awaitLine("^tcp +available");
        here.awaitLine("^From 127\\.0\\.0\\.1 to 127\\.0\\.0\\.1:");
        here.awaitLine("^tcp +connects: 8 bytes there and back in [0-9.,]+ us .* GB/s");
        assertThat(here.exitCode()).as(here::stderr).isZero();
      }
      assertThat(there.exitCode()).as(there::stderr).isZero();
    }
  }

  @Test
  void needsTheSameCommandOnBothHosts() throws Exception {
    try (JavaProcess there = tool("perf", "--listen=127.0.0.1:0")) {
      String port = there.awaitLine("waiting at .*:(\\d+)").group(1);
      try (JavaProcess here = tool("doctor", "--connect=127.0.0.1:" + port)) {
        assertThat(here.exitCode()).isEqualTo(1);
        assertThat(here.stderr()).contains("use the same one on both hosts").hasLineCount(1);
      }
    }
  }
}
