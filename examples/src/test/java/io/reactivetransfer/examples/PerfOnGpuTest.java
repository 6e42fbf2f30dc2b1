package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The benchmark with memory of a GPU, which is the fake's. */
class PerfOnGpuTest {

  private static final List<String> SHORT = List.of("--seconds=0.1", "--warmup=0.1", "--rounds=2");

  @TempDir private Path folder;

  private static String[] perf(List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("perf"));
    all.addAll(arguments);
    all.addAll(SHORT);
    return all.toArray(String[]::new);
  }

  private JavaProcess inAProcess(String... arguments) throws Exception {
    FakeCuda.compile(folder);
    ProcessBuilder command =
        JavaProcess.command(
            List.of("--sun-misc-unsafe-memory-access=allow"),
            "io.reactivetransfer.examples.Main",
            perf(List.of(arguments)));
    FakeCuda.use(folder, command);
    return JavaProcess.start(command);
  }

  /** The files that are written say what the table says. */
  @Test
  void aDeviceIsMeasuredBesideTheHost() throws Exception {
    Path json = folder.resolve("figures.json");
    Path svg = folder.resolve("chart.svg");
    measureBesideTheHost("paged", "loopback", "cuda", "cuda:0", "--json=" + json, "--svg=" + svg);
    assertThat(Files.readString(json))
        .contains("\"device\" : \"cuda:0\"", "\"deviceIs\" : \"Fake CUDA device 0");
    assertThat(Files.readString(svg)).contains("cuda:0 (A FAKE OF THE DRIVER, NO GPU)");
  }

  // In a usual build pages over loopback and counted writes between two hosts are measured.
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "write-imm, tcp, cuda, cuda:0",
    "write-imm, loopback, cuda:1, cuda:1",
    "write, tcp, cuda:1, cuda:1",
    "ping-pong, tcp, cuda, cuda:0"
  })
  void otherOperationsAreMeasuredBesideTheHost(
      String op, String backend, String device, String named) throws Exception {
    measureBesideTheHost(op, backend, device, named);
  }

  /** In each round the checksum of what arrived there is compared, also with the host's memory. */
  private void measureBesideTheHost(
      String op, String backend, String device, String named, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--op=" + op,
                "--backend=" + backend,
                "--device=" + device,
                "--fake-cuda",
                "--size=1000,70000",
                "--pages=3",
                "--outstanding=4",
                "--reference",
                "--verify"));
    arguments.addAll(List.of(more));
    assertThat(GpuProgram.output(perf(arguments)))
        .contains("memory of " + named + " (A FAKE OF THE DRIVER, NO GPU)")
        .contains(named + " on both sides: A FAKE OF THE DRIVER, NO GPU: its figures say nothing")
        .contains("host op/s", "ratio")
        .containsPattern("1,000 bytes( +[0-9.,]+){11}\\n")
        .contains("host: the same backend, engines and operations, with memory of the host")
        .contains("the ratio says what memory of " + named + " costs")
        .contains("in every round of ours and of the reference.");
  }

  // In a usual build each GPU is measured beside the host, and none alone or with many peers.
  @Tag("nightly")
  @Test
  void withoutAReferenceNothingIsSaidOfTheHost() throws Exception {
    assertThat(
            GpuProgram.output(
                perf(
                    List.of("--backend=loopback", "--device=cuda", "--size=1000", "--op=fan-out"))))
        .doesNotContain("host op/s");
  }

  // KvCacheOnGpuTest asks for a GPU that is not there in a usual build.
  @Tag("nightly")
  @Test
  void aGpuThatIsNotThereIsAWrongValue() throws Exception {
    ExampleRun program = GpuProgram.run(perf(List.of("--device=cuda:2")));
    assertThat(program.code()).as(program::toString).isEqualTo(2);
    assertThat(program.stderr())
        .contains("--device cuda:2")
        .contains("cuda:0, cuda:1")
        .hasLineCount(1);
  }

  // In a usual build a device is measured in one process, above, and two hosts in TwoHostsTest.
  @Tag("nightly")
  @Test
  void twoHostsMeasureADevice() throws Exception {
    try (JavaProcess there = inAProcess("--listen=127.0.0.1:0")) {
      String address = "127.0.0.1:" + there.awaitLine("waiting at .*:(\\d+)").group(1);
      try (JavaProcess here =
          inAProcess(
              "--connect=" + address, "--device=cuda:1", "--reference", "--verify", "--size=4K")) {
        assertThat(here.exitCode()).as(here::stderr).isZero();
        assertThat(here.stdout())
            .contains("over tcp, two hosts, ", "memory of cuda:1", "as this host says");
      }
      assertThat(there.exitCode()).as(there::stderr).isZero();
    }
  }
}
