package io.reactivetransfer.examples.jlama;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a user starts it: real processes, real sockets, and a real inference engine. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class JlamaTest {

  @BeforeAll
  static void isOnItsPlatform() {
    Requires.jlama();
  }

  /** At the end prefill is killed behind its first layer, so its blocks are not told of. */
  @Test
  void twoProcessesGenerateWhatOneDoes() throws Exception {
    try (JavaProcess program =
        Programs.jlama("--layers=3", "--cancel", "--kill", "--decode-block-tokens=8")) {
      assertThat(Programs.exitCode(program)).as(program::stderr).isZero();
      assertThat(program.stdout())
          .contains("tokens         identical: 10 prompts of 8 tokens, compared with one JVM")
          .contains("16 tokens on the prefill side, 8 on the decode side")
          .containsPattern("compute        [0-9.]+ ms alone, [0-9.]+ ms while")
          .containsPattern("transfer       [0-9.]+ ms alone, [0-9.]+ ms behind the computation")
          .containsPattern("first token    [0-9.]+ ms after the order")
          .contains("16 tokens on the decode side, 16 on the prefill side")
          .contains("32 tokens on the decode side, 16 on the prefill side: 512 bytes moved")
          .contains("behind layer 1 of 3: prefill stopped behind layer 1; blocks free after")
          .containsPattern("lost           prefill-1 \\(process \\d+\\), killed behind layer 1")
          .containsPattern("found after [0-9.]+ ms: PEER_LOST")
          .contains("decode computed the prompt itself")
          .containsPattern("blocks         decode \\(process \\d+\\): 0 of \\d+ lost");
    }
  }

  /** One behind its first layer, one at a random moment; what fails names the seed. */
  // In a usual build no prefill takes over from another one, and none is killed at any moment.
  @Tag("nightly")
  @Test
  void prefillsThatAreKilledAreNamedAndTokensStayTheSame() throws Exception {
    int seed = ThreadLocalRandom.current().nextInt(1 << 20);
    try (JavaProcess program =
        Programs.jlama("--layers=2", "--kill", "--prefills=2", "--disturb=4", "--seed=" + seed)) {
      assertThat(Programs.exitCode(program))
          .as(() -> "--seed=" + seed + ": " + program.stderr())
          .isZero();
      assertThat(program.stdout())
          .contains("seed " + seed, "disturbed      4 orders at random moments, 1 by a kill")
          .contains("identical: 13 prompts of 8 tokens")
          .containsPattern("lost           prefill-[12] \\(process \\d+\\), killed behind layer 1")
          .containsPattern("found after [0-9.]+ ms: PEER_LOST")
          .containsPattern("with prefill prefill-[12] ")
          .containsPattern("another one took over|decode computed the prompt itself")
          .containsPattern("blocks         decode \\(process \\d+\\): 0 of \\d+ lost");
    }
  }

  // In a usual build a process is either prefill or decode, above; nodes of the pipeline alone have
  // both roles in its SeveralNodesTest.
  @Tag("nightly")
  @Test
  void twoNodesArePrefillForEachOtherWhateverIsDisturbed() throws Exception {
    int disturbed = 12;
    int prompts = 9 + disturbed;
    int seed = ThreadLocalRandom.current().nextInt(1 << 20);
    try (JavaProcess program =
        Programs.jlama(
            "--layers=2",
            "--both",
            "--cancel",
            "--disturb=" + disturbed,
            "--backend=loopback",
            "--seed=" + seed)) {
      assertThat(Programs.exitCode(program))
          .as(() -> "--seed=" + seed + ": " + program.stderr())
          .isZero();
      assertThat(program.stdout().split("identical: " + prompts + " prompts of 8 tokens", -1))
          .hasSize(3);
      assertThat(program.stdout()).contains("blocks         node-1: 0 of", "node-2: 0 of");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--tokens=1",
        "--tokens=4000",
        "--generate=0",
        "--layers=0",
        "--embedding=200",
        "--block-tokens=0",
        "--prefills=5",
        "--deadline=0",
        "--disturb=-1",
        "--backend=carrier-pigeon",
        "--provider=tcp",
        "--kill --both",
        "--kill --backend=loopback",
        "--both --prefills=2",
        "--what"
      })
  void aWrongValueIsOneLineAndExitCode2(String line) {
    StringWriter err = new StringWriter();
    int code =
        JlamaMain.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute(("jlama " + line).split(" "));
    assertThat(code).isEqualTo(2);
    assertThat(err.toString().strip().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("examples/run jlama: ");
  }
}
