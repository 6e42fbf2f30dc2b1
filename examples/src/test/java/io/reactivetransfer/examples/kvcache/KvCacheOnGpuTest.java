package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import io.reactivetransfer.examples.FakeCuda;
import io.reactivetransfer.examples.GpuProgram;
import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program with pages in the memory of a GPU, which is the fake's. */
class KvCacheOnGpuTest {

  @TempDir private Path folder;

  @Test
  void pagesGoFromGpuToGpu() throws Exception {
    handOver("tcp", "cuda:1", 3, "cuda:1");
  }

  // In a usual build pages go in rows, over tcp; weights and tokens go over loopback there.
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"tcp, cuda, 1, cuda:0", "loopback, cuda:1, 1, cuda:1"})
  void wholePagesGoFromGpuToGpu(String backend, String device, int rows, String named)
      throws Exception {
    handOver(backend, device, rows, named);
  }

  private void handOver(String backend, String device, int rows, String named) throws Exception {
    byte[] content = new byte[1_234_567];
    new Random(rows).nextBytes(content);
    Path file = Files.write(folder.resolve("in"), content);
    Path out = folder.resolve("out");
    assertThat(
            GpuProgram.output(
                "kv-cache",
                "--backend=" + backend,
                "--device=" + device,
                "--fake-cuda",
                "--rows=" + rows,
                "--page-size=9000",
                "--file=" + file,
                "--out=" + out))
        .contains(named + " on both sides: A FAKE OF THE DRIVER, NO GPU")
        .contains("by CRC-32C at the target");
    assertThat(Files.mismatch(file, out)).isEqualTo(-1);
  }

  @Test
  void aGpuThatIsNotThereIsAnError() throws Exception {
    ExampleRun program = GpuProgram.run("kv-cache", "--device=cuda:2");
    assertThat(program.code()).as(program::toString).isEqualTo(1);
    assertThat(program.stderr())
        .contains("--device cuda:2")
        .contains("cuda:0, cuda:1")
        .hasLineCount(1);
  }

  /** Where a machine has one, there is nothing to see. */
  // HowToOnGpuTest starts a program without a driver in a usual build.
  @Tag("nightly")
  @Test
  void withoutADriverTheErrorSaysWhatToDo() throws Exception {
    Files.writeString(folder.resolve("libcuda.so.1"), "no library");
    ProcessBuilder command =
        JavaProcess.command(
            List.of("--sun-misc-unsafe-memory-access=allow"),
            "io.reactivetransfer.examples.Main",
            "kv-cache",
            "--device=cuda");
    FakeCuda.use(folder, command);
    try (JavaProcess program = JavaProcess.start(command)) {
      assertThat(program.exitCode()).isEqualTo(1);
      assertThat(program.stderr()).contains("--device cuda:0").contains("install").hasLineCount(1);
    }
  }
}
