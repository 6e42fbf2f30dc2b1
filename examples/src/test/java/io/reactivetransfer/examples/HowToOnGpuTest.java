package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExamplesPage.Row;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/examples.md says of the program that uses a GPU, which is the fake's, or not there. */
class HowToOnGpuTest {

  @TempDir private Path folder;

  private static Row row() throws IOException {
    return ExamplesPage.rows().stream()
        .filter(row -> !row.withoutGpu().isEmpty())
        .findAny()
        .orElseThrow();
  }

  private ProcessBuilder program() throws IOException {
    ProcessBuilder command =
        JavaProcess.command(List.of("--sun-misc-unsafe-memory-access=allow"), row().className());
    FakeCuda.use(folder, command);
    return command;
  }

  @Test
  void bytesGoToTheGpuAndBack() throws Exception {
    assertThat(GpuProgram.output("how-to", "use-device-memory").lines())
        .containsExactlyElementsOf(row().prints());
  }

  @Test
  void whatTheDriverRefusesIsAnError() throws Exception {
    FakeCuda.compile(folder);
    ProcessBuilder command = program();
    command.environment().put("FAKECUDA_FAULTS", "cuMemAlloc@2=2");
    try (JavaProcess program = JavaProcess.start(command)) {
      assertThat(program.exitCode()).isEqualTo(1);
      assertThat(program.stderr()).contains("CUDA_ERROR_OUT_OF_MEMORY");
      assertThat(program.stdout()).isEmpty();
    }
  }

  @Test
  void withoutADriverItSaysWhatToDo() throws Exception {
    Files.writeString(folder.resolve("libcuda.so.1"), "no library");
    try (JavaProcess program = JavaProcess.start(program())) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout()).contains("install NVIDIA's driver");
      assertThat(program.stdout().lines()).endsWith(row().withoutGpu().toArray(String[]::new));
      assertThat(program.stderr()).isEmpty();
    }
  }
}
