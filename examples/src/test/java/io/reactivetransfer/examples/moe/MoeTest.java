package io.reactivetransfer.examples.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import io.reactivetransfer.examples.kvcache.InstalledBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;

/** The program, with a process for each rank over tcp, and none over loopback. */
@Timeout(170)
class MoeTest {

  private static final List<String> SMALL =
      List.of(
          "moe",
          "--tokens=20",
          "--experts=10",
          "--top-k=3",
          "--hidden=300",
          "--steps=7",
          "--warmup=1",
          "--round=50");

  /** The median, and what one in a hundred takes longer than. */
  private static final String TWO = " +[0-9]+\\.[0-9]{2} / [0-9]+\\.[0-9]{2}";

  private static ExampleRun run(String backend, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(SMALL);
    all.add("--backend=" + backend);
    all.addAll(List.of(arguments));
    return ExampleRun.over(backend, all.toArray(String[]::new));
  }

  private static String output(String backend, String... arguments) throws Exception {
    ExampleRun program = run(backend, arguments);
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stderr()).isEmpty();
    return program.stdout();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp, --ranks=4, --skew=1",
    "loopback, --ranks=3, --private-slots=4 --in-place",
    "loopback, --ranks=2, --signals=nic"
  })
  void eachRankGetsTheSumsOfTheReferenceAndItEndsWithARatio(
      String backend, String ranks, String other) throws Exception {
    assertEachRankGetsTheSums(backend, ranks, other);
  }

  // In a usual build ranks in processes are those over tcp, above; libfabric has its own tests.
  @Test
  @Tag("nightly")
  void eachRankGetsTheSumsOfTheReferenceOverLibfabric() throws Exception {
    assertEachRankGetsTheSums("libfabric", "--ranks=4", "--private-slots=3");
  }

  private static void assertEachRankGetsTheSums(String backend, String ranks, String other)
      throws Exception {
    InstalledBackend.require(backend);
    List<String> arguments = new ArrayList<>(List.of(other.split(" ", -1)));
    boolean isInPlace = arguments.contains("--in-place");
    arguments.addAll(List.of(ranks, "--reference", "--rounds=2", "--at-most=1000", "--host-work"));
    String printed = output(backend, arguments.toArray(String[]::new));
    // Only tcp has a loop of its own, of which it is seen when a turn begins.
    String handOver = backend.equals("tcp") ? TWO : " +in first post";
    String ofGroup = " and [0-9.]+ copies, sums and signals of its group";
    assertThat(printed)
        .containsPattern(
            "step +20 tokens of each of [234] ranks to 3 of 10 experts.* over " + backend)
        .containsPattern(
            "memory .* which may get [0-9]+" + (isInPlace ? ", for experts in place\\R" : "\\R"))
        .containsPattern("verified +the sums of [0-9]+ tokens in 4 steps, next to a reference")
        .containsPattern("p50/p99, ms +dispatchSend +dispatchReceive +combineSend +combineReceive")
        .containsPattern("all ranks( +[0-9]+\\.[0-9]+ / [0-9]+\\.[0-9]+){5}\\n")
        .containsPattern("rank 1( +[0-9]+\\.[0-9]+ / [0-9]+\\.[0-9]+){5}\\n")
        .containsPattern("between ranks  [0-9.]+ KiB out and [0-9.]+ KiB back in a step")
        .contains("at the median of 7 steps")
        .containsPattern("caller +p50 [0-9.]+ us, p99 [0-9.]+ us of CPU in begin, p50 [0-9.]+ us")
        .containsPattern(
            "CPU time +[0-9.]+ ms for a step of a rank, of that [0-9.]+ compilers"
                + (other.equals("--signals=nic") ? "\\R" : ofGroup))
        .containsPattern("p50/p99, us +enqueue +hand-over +first post +last post\\R")
        .containsPattern("routes" + TWO + handOver + TWO + TWO + "\\R")
        .containsPattern("results" + TWO + handOver + TWO + TWO + "\\R")
        .containsPattern("reference +0.12 / 2.02 +0.86 / 1.45 +0.44 / 0.74 +8.50 / 12.31\\R")
        .containsPattern("of 64 ranks, each with a ConnectX-7; ours of [234] ranks over " + backend)
        .containsPattern("step +[0-9.]+ ms, medians of 2 rounds of [0-9]+")
        .containsPattern("plain writes +[0-9.]+ ms in turn with these: the same bytes out and back")
        .containsPattern("CPU time +[0-9.]+ ms for a step of a rank, [0-9.]+ for plain writes; of")
        .containsPattern("of these compilers [0-9.]+ and [0-9.]+\\R +[0-9.]+ times as much without")
        .containsPattern("ratio +[0-9.]+; [0-9.]+ to [0-9.]+ in these rounds");
  }

  // In a usual build a rank is killed in a process of its own by the library's KilledRankTest; what
  // the program says of one is shown here only.
  @Test
  @Tag("nightly")
  void whoIsKilledIsNamedByAllOthersWhoGoOnWithoutIt() throws Exception {
    assertThat(output("tcp", "--kill", "--ranks=3", "--liveness=20000"))
        .containsPattern("killed +rank-[012] \\(process [0-9]+\\), [0-9]+ ms after the first")
        .containsPattern("rank [012] +[0-9.]+ ms later: group layers/1 is over: rank [012] \\(tcp:")
        .containsPattern("all ended +[0-9.]+ ms after it was killed; the deadline is 20,000 ms")
        .containsPattern("went on +2 ranks in a group of their own, its first step compared")
        .containsPattern("verified +the sums of [0-9]+ tokens in 4 steps");
  }

  @Test
  void microBatchesOverlapAndAreDrawnAndBarriersAreCompared(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("timeline.svg");
    assertThat(
            output(
                "loopback",
                "--ranks=2",
                "--overlap",
                "--work=2000",
                "--barriers",
                "--rounds=2",
                "--timeline=" + file))
        .containsPattern("which may get [0-9]+, on each of 2 lanes")
        .containsPattern("verified +the sums of [0-9]+ tokens in 4 steps")
        .containsPattern("work +2.000 ms before the tokens of each micro-batch are sent")
        .containsPattern("one by one +[0-9.]+ ms for a layer of 2 micro-batches; median of 2 ro")
        .containsPattern("overlapped +[0-9.]+ ms in turn with these")
        .containsPattern("exchanges only +[0-9.]+ ms for a step, .*; medians of 2 rounds of [0-9]+")
        .containsPattern("barriers +[0-9.]+ ms, .* [0-9.]+ times \\([0-9.]+ to [0-9.]+\\): a write")
        .containsPattern("lanes in turn +[0-9.]+ ms, .* in the memory of another of 2")
        .containsPattern("gain +[0-9.]+ times as fast; at best [0-9.]+, ");
    Document svg = DocumentBuilderFactory.newNSInstance().newDocumentBuilder().parse(file.toFile());
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("rank 0, lane 0", "rank 1, lane 0", "lane 1", "writes", "waits for others")
        .contains("lane 1: its experts work", "lane 0: dispatchSend", "lane 1: combineReceive")
        .contains("has its sums");
  }

  @Test
  void aRatioThatIsTooHighIsExitCode1() throws Exception {
    ExampleRun program = run("loopback", "--reference", "--rounds=1", "--at-most=0.01");
    assertThat(program.code()).as(program::toString).isEqualTo(1);
    assertThat(program.stdout()).containsPattern("ratio +[0-9.]+");
    assertThat(program.stderr())
        .contains("expected a ratio of 0.01 or less (--at-most), got ")
        .hasLineCount(1);
  }
}
