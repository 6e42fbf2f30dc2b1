package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * NVIDIA's own driver on a machine that has no GPU. It is not free, so it does not come with the
 * tests: {@code src/test/driver/unpack FOLDER} brings Debian's, and the property {@value #FOLDER}
 * names that folder.
 */
class RealDriverTest {

  private static final String FOLDER = "reactivetransfer.libcuda";

  /** The driver makes it where it is asked by root, also without a GPU. */
  private static final Path CONTROL = Path.of("/dev/nvidiactl");

  @BeforeEach
  void require() {
    assumeTrue(System.getProperty(FOLDER) != null, "-D" + FOLDER + " names no folder");
    assumeFalse(Files.exists(CONTROL), "there seems to be a GPU");
  }

  @AfterEach
  void removeWhatTheDriverMakes() throws Exception {
    if (System.getProperty(FOLDER) != null) {
      Files.deleteIfExists(CONTROL);
    }
  }

  @Test
  void withoutAGpuItIsRefusedAndAllElseGoesOn() throws Exception {
    Path folder = Path.of(System.getProperty(FOLDER)).toAbsolutePath();
    assertThat(folder.resolve("libcuda.so.1")).exists();
    ProcessBuilder command = JavaProcess.command(List.of(), NoGpuProgram.class.getName());
    command.environment().put("LD_LIBRARY_PATH", folder.toString());
    try (JavaProcess process = JavaProcess.start(command)) {
      assertThat(process.exitCode()).as(process::stderr).isZero();
      assertThat(process.stdout())
          .contains("Unavailable")
          .contains("cuInit failed with CUDA_ERROR_NO_DEVICE (100, ")
          .contains("CUDA_VISIBLE_DEVICES")
          .contains("refused: expected a GPU, got none")
          .contains("written: true");
    }
  }
}
