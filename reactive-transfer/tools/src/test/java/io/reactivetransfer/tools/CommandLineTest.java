package io.reactivetransfer.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
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
    assertThat(out.toString()).contains("perf", "doctor", "simulate", "soak", "jmh");
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "perf --op fly",
        "perf --op message-ping-pong --verify",
        "perf --size 0",
        "perf --size 4K,many",
        "perf --size 4K,,64K",
        "perf --size 2G",
        "perf --op send --size 65K",
        "perf --op send --size 64K --outstanding 1025",
        "perf --op paged --size 1M --pages 2000",
        "perf --size 99999999999G",
        "perf --pages 0",
        "perf --pages 65537",
        "perf --outstanding 0",
        "perf --outstanding 65537",
        "perf --nics 0",
        "perf --nics 9",
        "perf --seconds 0",
        "perf --seconds NaN",
        "perf --warmup -1",
        "perf --rounds 0",
        "perf --signals smoke",
        "perf --device",
        "perf --device GPU",
        "perf --device cuda:one",
        "perf --device carrier-pigeon:1",
        "perf --device cuda --op send",
        "perf --device cuda --op message-ping-pong",
        "perf --fake-cuda",
        "perf --backend carrier-pigeon",
        "perf --provider tcp",
        "perf --backend loopback --provider tcp",
        "perf --backend loopback --op ping-pong --reference",
        "perf --json /no/such/folder/file",
        "perf --svg /",
        "perf extra",
        "perf --listen nonsense",
        "perf --listen host:99999",
        "perf --connect :1",
        "perf --listen 127.0.0.1:0 --connect 127.0.0.1:1",
        "perf --connect 127.0.0.1:1 --backend loopback",
        "perf --connect 127.0.0.1:1 --in-process",
        "perf --connect 127.0.0.1:1 --backend libfabric --provider tcp --reference",
        "simulate --pipeline carrier-pigeon",
        "soak --minutes 0",
        "soak --minutes NaN",
        "soak --nics 9",
        "soak --streams 65",
        "soak --limit 0",
        "soak --without sense",
        "soak --backend carrier-pigeon",
        "soak --provider tcp",
        "doctor --listen nonsense",
        "doctor --connect host",
        "doctor --listen 127.0.0.1:0 --connect 127.0.0.1:1",
        "doctor extra"
      })
  void aWrongValueIsOneLineAndExitCode2(String line) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("reactive-transfer");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownBackendIsToldWhichThereAre() {
    run("perf", "--backend", "carrier-pigeon");
    assertThat(err.toString()).contains("carrier-pigeon").contains("loopback").contains("tcp");
  }

  @Test
  void ofWhatIsTooMuchBothFactorsAreTold() {
    run("perf", "--op=send", "--size=64K", "--outstanding=1025");
    assertThat(err.toString())
        .contains("expected --size and --outstanding of up to 64 MiB")
        .contains("got 1025 messages of 64 KiB");
    run("perf", "--op=fan-out", "--size=2M", "--peers=1000");
    assertThat(err.toString()).contains("got 1000 parts of 2 MiB");
    run("perf", "--size=99999999999G");
    assertThat(err.toString()).contains("below 2^63, got '99999999999G'");
  }

  @Test
  void messagesAreOfTheHost() {
    run("perf", "--op=send", "--device=cuda:1");
    assertThat(err.toString())
        .contains("expected --device with an --op that writes, got --op send --device cuda:1");
  }

  @Test
  void aDeviceThatIsNotThereIsToldWhichThereAre() {
    assertThat(run("perf", "--device=carrier-pigeon:1")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--device carrier-pigeon:1: expected access to device carrier-pigeon:1")
        .contains("there is access to");
  }

  @ParameterizedTest
  @ValueSource(strings = {"perf", "soak"})
  void aProviderIsForLibfabricOnly(String tool) {
    run(tool, "--backend", "tcp", "--provider", "shm");
    assertThat(err.toString()).contains("--provider with --backend libfabric only", "tcp");
    assertThat(System.getProperty(Provider.PROPERTY)).isNull();
  }

  @Test
  void theDoctorKnowsEveryBackend() {
    assertThat(run("doctor")).isZero();
    assertThat(out.toString())
        .containsPattern("loopback +available")
        .containsPattern("tcp +available")
        .contains("NICs: ");
  }
}
