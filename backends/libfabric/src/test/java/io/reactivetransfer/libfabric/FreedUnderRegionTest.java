package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
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
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:-CreateCoredumpOnCrash");
    command.add("-XX:ErrorFile=/dev/null");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FreedUnderRegionProgram.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
