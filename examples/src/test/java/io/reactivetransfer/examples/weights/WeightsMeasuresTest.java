package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.weights.check.ChecksumScope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the program measures and tries besides some updates. */
// A usual build runs the same example by WeightsTest, and measures nothing.
@Tag("merge")
@Timeout(300)
class WeightsMeasuresTest {

  private static Cluster loopback(String to) throws Exception {
    return Cluster.start(TroubleProgram.plan("loopback", "fsdp=1", to, 1), (word, rest) -> {});
  }

  @Test
  void theReferenceEndsWithRatios() throws Exception {
    try (Cluster cluster = loopback("tp=1,dtype=fp8")) {
      assertThat(Comparison.run(cluster, 1, 1, Round.ofMillis(50)))
          .containsPattern("warm +[0-9.]+ GB/s of .* written in an update")
          .containsPattern("perf write-imm[0-9.]+ GB/s|perf write-imm +[0-9.]+ GB/s")
          .containsPattern("ratio +[0-9.]+; [0-9.]+ to [0-9.]+ in these rounds")
          .containsPattern("overlap +[0-9.]+ ms to prepare alone, [0-9.]+ for the link alone, ")
          .containsPattern("of the slower +[0-9.]+; ")
          .containsPattern("of the cores +[0-9.]+; ");
    }
  }

  @Test
  void flipsAreMeasuredNextToMessages() throws Exception {
    try (Cluster cluster = loopback("tp=2")) {
      assertThat(Flips.run(cluster, 5, 10))
          .containsPattern("flip +p50 [0-9.]+ ms, p99 [0-9.]+ ms from the last byte")
          .containsPattern("message +p50 [0-9.]+ ms, p99 [0-9.]+ ms from the controller")
          .containsPattern("messages +p50 [0-9.]+ ms, p99 [0-9.]+ ms from the controller to all")
          .containsPattern("ratio +[0-9.]+ at p50, [0-9.]+ at p99 to a message there and back")
          .containsPattern(" +[0-9.]+ at p50, [0-9.]+ at p99 to messages to all ranks and back");
    }
  }

  /** What becomes of each update is decided by the seed, which the failure shows. */
  // In a usual build a controller is killed in WeightsTest, prefill processes are killed and
  // stopped by the same driver of trouble in KvCacheMeasuresTest, and the simulation of weights has
  // trouble of all kinds without processes.
  @Test
  @Tag("nightly")
  @Timeout(2_400) // of 4 s each where nothing else runs
  void noPromiseIsBrokenInTrouble() throws Exception {
    long seed = Long.getLong("reactivetransfer.weights.seed", System.nanoTime() % 1_000_000);
    int updates = 12 * Integer.getInteger("reactivetransfer.rounds", 1);
    ExampleRun run =
        ExampleRun.of(
            TroubleProgram.class.getName(), String.valueOf(seed), String.valueOf(updates));
    assertThat(run.code()).as(run::toString).isZero();
    assertThat(run.stdout())
        .as("seed %d: %s", seed, run)
        .contains(updates + " updates")
        .doesNotContain(TroubleProgram.FAULT);
  }

  @Test
  void readersOfTwoVersionsAtATimeAreFound() {
    List<String> faults = new ArrayList<>();
    Readings readings = new Readings();
    readings.add("rank-0", "3 1:100:200,2:300:400 ", 0, faults);
    readings.add("rank-1", "3 1:110:310,2:320:400 ", 0, faults);
    readings.check(faults);
    assertThat(faults)
        .containsExactly("version 1 was given at rank-1 after version 2 had been given at rank-0");
  }

  @Test
  void readersOfOneVersionAfterTheOtherAreRight() {
    List<String> faults = new ArrayList<>();
    Readings readings = new Readings();
    readings.add("rank-0", "3 1:100:200,2:300:400 ", 0, faults);
    readings.add("rank-1", "3 1:110:290,2:320:400 ", 0, faults);
    readings.check(faults);
    assertThat(faults).isEmpty();
  }

  @Test
  void checksAreThoseOfTheLibrary() {
    assertThat(Checks.ALL.scope()).isEqualTo(ChecksumScope.all());
    assertThat(Checks.NONE.scope()).isEqualTo(ChecksumScope.none());
  }
}
