package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tools.Provider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @Test
  void withoutANameItListsTheExamples() {
    assertThat(run()).isZero();
    assertThat(out.toString())
        .contains(
            "kv-cache",
            "weights",
            "moe",
            "jlama",
            "spring",
            "perf",
            "first-write",
            "first-hand-over")
        .contains("first-update", "how-to", "together", "observe", "doctor", "jmh")
        .contains("first-target", "first-origin", "stream-target", "stream-origin");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "kv-cache --layers 0",
        "kv-cache --layers -1",
        "kv-cache --layers many",
        "kv-cache --layers 99999",
        "kv-cache --pages 0",
        "kv-cache --pages 15001",
        "kv-cache --page-size -4096",
        "kv-cache --page-size 0",
        "kv-cache --page-size 4parsecs",
        "kv-cache --page-size 99999999GiB",
        "kv-cache --page-size 1GiB --pages 15000",
        "kv-cache --nics 0",
        "kv-cache --nics 9",
        "kv-cache --deadline 0",
        "kv-cache --layer-interval -1",
        "kv-cache --seed x",
        "kv-cache --backend carrier-pigeon",
        "kv-cache --provider tcp",
        "kv-cache --backend loopback --provider tcp",
        "kv-cache --file /no/such/file",
        "kv-cache --file /",
        "kv-cache --out /no/such/folder/file",
        "kv-cache --out /",
        "kv-cache --rows 0",
        "kv-cache --rows 7",
        "kv-cache --rows 4097",
        "kv-cache --device cuda:x",
        "kv-cache --device Cuda",
        "kv-cache --device cuda:-1",
        "kv-cache --device cuda --reference",
        "kv-cache --device cuda --trouble 5",
        "kv-cache --device cuda --scale 2",
        "kv-cache --fake-cuda",
        "kv-cache --scale 1",
        "kv-cache --scale 65",
        "kv-cache --scale 2 --backend loopback",
        "kv-cache --trouble 0",
        "kv-cache --trouble 5 --backend loopback",
        "kv-cache --timeline /no/such/folder/file",
        "kv-cache --warm-ups -1",
        "kv-cache --warmup 0",
        "kv-cache --rounds 0",
        "kv-cache --what",
        "kv-cache extra",
        "weights /no/such/file",
        "weights --size 1KiB",
        "weights --size 4parsecs",
        "weights --size 1MiB pom.xml",
        "weights pom.xml",
        "weights --trainers 0",
        "weights --trainers 3 --from fsdp=2",
        "weights --ranks 65",
        "weights --ranks 2 --to tp=3",
        "weights --to ep=3",
        "weights --to tp=3,dtype=fp9",
        "weights --from fsdp=2,dtype=fp8",
        "weights --backend carrier-pigeon",
        "weights --backend loopback --provider tcp",
        "weights --backend loopback --kill rank",
        "weights --backend loopback --trouble 5",
        "weights --kill nobody",
        "weights --kill rank --flips 10",
        "weights --flips 1",
        "weights --trouble 0",
        "weights --trouble 5 --reference",
        "weights --mode sideways",
        "weights --checksums some",
        "weights --watermark -1",
        "weights --updates 0",
        "weights --nics 9",
        "weights --deadline 0",
        "weights --timeline /no/such/folder/file",
        "weights --backend loopback --size 64KiB --to pp=64 --from tp=1",
        "perf --op fly",
        "first-target 127.0.0.1 4700",
        "first-origin 127.0.0.1 127.0.0.1:4700 secret extra",
        "how-to stand-on-the-head",
        "how-to many-writes file",
        "how-to encrypt-connections secret",
        "together --seconds 0",
        "together --nics 9",
        "together --backend carrier-pigeon",
        "together --provider tcp",
        "moe --ranks 1",
        "moe --ranks 65",
        "moe --tokens 0",
        "moe --experts 0",
        "moe --experts 7 --top-k 8",
        "moe --top-k 0",
        "moe --hidden 0",
        "moe --skew -1",
        "moe --skew 5",
        "moe --skew NaN",
        "moe --private-slots -1",
        "moe --max-received 0",
        "moe --steps 0",
        "moe --warmup 0",
        "moe --nics 9",
        "moe --deadline 0",
        "moe --signals loud",
        "moe --backend carrier-pigeon",
        "moe --provider tcp",
        "moe --tokens 65536 --hidden 65536 --ranks 64",
        "moe --kill --backend loopback",
        "moe --in-place --device cuda:0",
        "moe --kill --reference",
        "moe --kill --overlap",
        "moe --kill --barriers",
        "moe --kill --host-work",
        "moe --kill --timeline timeline.svg",
        "moe --timeline /no/such/folder/file",
        "moe --work 1000",
        "moe --overlap --work 0",
        "moe --reference --rounds 0",
        "moe --at-most 1.4",
        "observe",
        "observe quick",
        "observe slow stuck",
        "observe slow --seconds 0",
        "observe slow --seconds 3601",
        "observe slow --every 9",
        "observe lost --recording /no/such/folder/file",
        "observe lost --recording /",
        "moe --reference --at-most 0"
      })
  void aWrongValueIsOneLineAndExitCode2(String line) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("examples/run");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownBackendIsToldWhichThereAre() {
    run("kv-cache", "--backend", "carrier-pigeon");
    assertThat(err.toString()).contains("carrier-pigeon").contains("loopback").contains("tcp");
  }

  @Test
  void aProviderIsForLibfabricOnly() {
    run("kv-cache", "--backend", "tcp", "--provider", "shm");
    assertThat(err.toString()).contains("--provider with --backend libfabric only", "tcp");
    assertThat(System.getProperty(Provider.PROPERTY)).isNull();
  }

  @Test
  void aFileThatDoesNotFitIsAWrongValue(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[5000]);
    assertThat(
            run(
                "kv-cache",
                "--file",
                file.toString(),
                "--layers",
                "1",
                "--pages",
                "1",
                "--page-size",
                "4096"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("does not fit").contains("--layers").hasLineCount(1);
  }
}
