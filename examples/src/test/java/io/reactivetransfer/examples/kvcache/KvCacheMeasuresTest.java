package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the program measures and tries besides one hand-over. */
// A usual build runs the same example by KvCacheTest, and measures nothing.
@Tag("merge")
@Timeout(300)
class KvCacheMeasuresTest {

  /** In processes of their own. */
  private static String output(String... arguments) throws Exception {
    ExampleRun run = ExampleRun.of(MeasuresProgram.class.getName(), arguments);
    assertThat(run.code()).as(run::toString).isZero();
    return run.stdout();
  }

  private static void assertEndsWithARatio(String output) {
    assertThat(output)
        .containsPattern("warm +[0-9.]+ GB/s at decode.*; 18 pages of another one compared")
        .containsPattern("perf paged +[0-9.]+ GB/s in turn with these: whole pages of 8 KiB, 6 in")
        .containsPattern("ratio +[0-9.]+; [0-9.]+ to [0-9.]+ in these rounds")
        .contains("short of the same: null", "short of more: expected a ratio of ");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void theReferenceEndsWithARatio(int rows) throws Exception {
    assertEndsWithARatio(MeasuresProgram.reference("loopback", rows));
  }

  // In a usual build the same runs in one process, above, and processes are those of trouble,
  // below.
  @Test
  @Tag("nightly")
  void theReferenceOfProcessesEndsWithARatio() throws Exception {
    assertEndsWithARatio(output(MeasuresProgram.REFERENCE, "tcp"));
  }

  @Test
  void aRatioThatIsTooLowEndsWithCodeOne() {
    ExampleRun program =
        ExampleRun.here(
            "kv-cache",
            "--backend=loopback",
            "--layers=3",
            "--pages=6",
            "--page-size=8192",
            "--reference",
            "--warmup=1",
            "--rounds=1",
            "--round=50",
            "--at-least=1000");
    assertThat(program.code()).as(program::toString).isEqualTo(1);
    assertThat(program.stdout())
        .contains("median of 1 rounds of 0.05 s")
        .containsPattern("ratio +[0-9.]+;");
    assertThat(program.stderr())
        .contains("kv-cache: expected a ratio of 1000.00 or more (--at-least), got ");
  }

  private static void assertIsMeasuredBothWays(String output) {
    assertThat(output)
        .containsPattern("one to one +[0-9.]+ GB/s of 3 layers x 6 pages of 8 KiB")
        .containsPattern("2 to one +[0-9.]+ GB/s in all, [0-9.]+ of one to one; slowest")
        .containsPattern("one to 2 +[0-9.]+ GB/s in all, [0-9.]+ of one to one; slowest")
        .containsPattern("verified +72 pages by CRC-32C at the targets");
  }

  @Test
  void scalingIsMeasuredBothWays() throws Exception {
    assertIsMeasuredBothWays(MeasuresProgram.scaling("loopback"));
  }

  // In a usual build the same runs in one process, above.
  @Test
  @Tag("nightly")
  void scalingOfProcessesIsMeasuredBothWays() throws Exception {
    assertIsMeasuredBothWays(output(MeasuresProgram.SCALING, "tcp"));
  }

  /** What becomes of each is decided by the seed, which the failure shows. */
  private static void assertNothingIsLostInTrouble(String backend, int handOvers) throws Exception {
    InstalledBackend.require(backend);
    long seed = Long.getLong("reactivetransfer.kvcache.seed", System.nanoTime() % 1_000_000);
    assertThat(
            output(
                MeasuresProgram.TROUBLE, backend, String.valueOf(seed), String.valueOf(handOvers)))
        .contains("trouble        " + handOvers + " hand-overs", "seed " + seed)
        .containsPattern("pages +all [0-9]+ are back")
        .doesNotContain(MeasuresProgram.FAULT);
  }

  @Test
  void nothingIsLostInTrouble() throws Exception {
    int rounds = Math.min(4, Integer.getInteger("reactivetransfer.rounds", 1));
    assertNothingIsLostInTrouble("tcp", rounds > 1 ? 6 * rounds : 4);
  }

  // In a usual build the same is tried over tcp only, above.
  @Test
  @Tag("nightly")
  void nothingIsLostInTroubleOverLibfabric() throws Exception {
    assertNothingIsLostInTrouble("libfabric", 6);
  }
}
