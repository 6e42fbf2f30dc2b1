package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory that the application frees although it is registered: a mistake that costs the writes from
 * there and to there, and neither the process nor other writes.
 */
class FreedUnderRegionTest {

  @Test
  void failsItsWrites() throws IOException, InterruptedException {
    InstalledLibrary.with("tcp");
    List<String> options =
        List.of("-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null");
    ProcessBuilder command =
        JavaProcess.command(options, FreedUnderRegionProgram.class.getName())
            .redirectErrorStream(true);
    // What is this long goes back to the system when it is freed, whatever was freed before.
    command.environment().put("MALLOC_MMAP_THRESHOLD_", String.valueOf(1 << 20));
    Process process = command.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
