package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor says of two GPUs, which are the fake's, and of the NICs that are always here. */
class DoctorOnGpusTest {

  @TempDir private Path folder;

  @BeforeEach
  void compileTheFake() throws Exception {
    FakeCuda.compile(folder);
  }

  @Test
  void saysHowBytesGetFromEachGpuToEachNic() throws Exception {
    ProcessBuilder command =
        JavaProcess.command(
            List.of("--sun-misc-unsafe-memory-access=allow"),
            "io.reactivetransfer.examples.Main",
            "doctor");
    FakeCuda.use(folder, command);
    try (JavaProcess program = JavaProcess.start(command)) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout())
          .contains("PCI 0000:10:00.0", "PCI 0000:11:00.0")
          .containsPattern("cuda:0 +tcp tcp0: staged through the host, distance unknown\\n")
          .containsPattern("cuda:0 +tcp tcp1: staged through the host, distance unknown\\n")
          .containsPattern("cuda:1 +tcp tcp0: staged through the host, distance unknown\\n")
          .containsPattern(
              "cuda:1 +loopback loopback0: staged through the host, distance unknown\\n")
          .doesNotContain("warning: n");
    }
  }
}
