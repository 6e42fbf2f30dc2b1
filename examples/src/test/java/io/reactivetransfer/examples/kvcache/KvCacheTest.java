package io.reactivetransfer.examples.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExampleRun;
import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

/** The program, with real processes and real sockets over tcp, and none over loopback. */
class KvCacheTest {

  private static JavaProcess kvCache(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("kv-cache"));
    all.addAll(List.of(arguments));
    return JavaProcess.start("io.reactivetransfer.examples.Main", all.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"tcp,3,16", "loopback,1,1", "loopback,1,2", "loopback,2,16"})
  void endsWithATableThatSaysVerifiedAndDrawsATimeline(
      String backend, int nics, int rows, @TempDir Path folder) throws Exception {
    assertEndsWithATableAndATimeline(backend, nics, rows, folder);
  }

  // In a usual build both sides in processes are those over tcp, above; libfabric has its own
  // tests.
  @Test
  @Tag("nightly")
  void endsWithATableOverLibfabric(@TempDir Path folder) throws Exception {
    InstalledBackend.require("libfabric");
    assertEndsWithATableAndATimeline("libfabric", 2, 16, folder);
  }

  private static void assertEndsWithATableAndATimeline(
      String backend, int nics, int rows, Path folder) throws Exception {
    byte[] content = new byte[7 * 20 * 9008 - 11];
    new Random(rows).nextBytes(content);
    Path file = Files.write(folder.resolve("in"), content);
    Path out = folder.resolve("out");
    Path timeline = folder.resolve("timeline.svg");
    ExampleRun program =
        ExampleRun.over(
            backend,
            "kv-cache",
            "--backend=" + backend,
            "--nics=" + nics,
            "--file=" + file,
            "--out=" + out,
            "--layers=7",
            "--pages=20",
            "--page-size=9008",
            "--rows=" + rows,
            "--layer-interval=2",
            "--warm-ups=2",
            "--timeline=" + timeline);
    assertThat(program.code()).as(program::toString).isZero();
    String shape = "7 layers x 20 pages of 8.8 KiB" + (rows == 1 ? "" : " in " + rows + " rows");
    assertThat(program.stdout())
        .contains(shape + " over " + backend)
        .contains("141 counted of 141")
        .contains("verified       140 pages by CRC-32C at the target; 14 spare pages untouched")
        .containsPattern("at the origin  [0-9.]+ GB/s, [0-9,]+ pages/s")
        .containsPattern("at the target  [0-9.]+ GB/s, [0-9,]+ pages/s")
        .containsPattern("p50 [0-9.]+ ms, p99 [0-9.]+ ms")
        .contains("7 of 7 layers written")
        .contains(String.format("%,d bytes written to", content.length));
    assertThat(program.stderr()).isEmpty();
    assertThat(Files.mismatch(file, out)).isEqualTo(-1);

    Document svg =
        DocumentBuilderFactory.newNSInstance().newDocumentBuilder().parse(timeline.toFile());
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("One KV-cache hand-over: " + shape + " over " + backend)
        .contains("request", "layer 0", "layer 1", "layer 6", "scope", "counted at decode");
    // One for each layer, and that of the legend.
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(8);
    // The ground, three of the legend, request and scope, and two for each layer.
    assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(20);
    assertThat(Files.readString(timeline))
        .contains("prefers-color-scheme: dark")
        .doesNotContain("NaN");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 4097})
  void aFileOfAnyLengthArrivesIdentical(int length, @TempDir Path folder) throws Exception {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    Path file = Files.write(folder.resolve("in"), content);
    Path out = folder.resolve("out");
    ExampleRun program =
        ExampleRun.here(
            "kv-cache",
            "--backend=loopback",
            "--file=" + file,
            "--out=" + out,
            "--page-size=4096",
            "--nics=2");
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stdout()).contains(String.format("%,d bytes written to", length));
    assertThat(Files.mismatch(file, out)).isEqualTo(-1);
  }

  @Test
  void whenDecodeIsKilledPrefillEndsByItselfAndNamesIt() throws Exception {
    theOtherEndsByItselfAndNames("decode", "prefill");
  }

  // In a usual build prefill processes are killed in KvCacheMeasuresTest; what the program says of
  // one is shown here only.
  @Test
  @Tag("nightly")
  void whenPrefillIsKilledDecodeEndsByItselfAndNamesIt() throws Exception {
    theOtherEndsByItselfAndNames("prefill", "decode");
  }

  private static void theOtherEndsByItselfAndNames(String victim, String survivor)
      throws Exception {
    try (JavaProcess program =
        kvCache(
            "--layers=600",
            "--pages=8",
            "--page-size=4096",
            "--layer-interval=50",
            "--deadline=40")) {
      Matcher pids =
          program.awaitLine("prefill is process (\\d+), decode is process (\\d+); deadline 40 s");
      program.awaitLine("60 of 600 layers written");
      kill(pids.group(victim.equals("prefill") ? 1 : 2));

      assertThat(program.exitCode()).isEqualTo(1);
      List<String> lines = program.stderr().strip().lines().toList();
      assertThat(lines).as(program.stderr()).hasSize(2);
      assertThat(lines.get(0)).matches(survivor + ": hand-over 1 with " + victim + " tcp:.*");
      assertThat(lines.get(1))
          .contains(victim + " (process " + pids.group(victim.equals("prefill") ? 1 : 2))
          .contains("was killed by signal 9")
          .containsPattern(survivor + " \\(process \\d+\\) ended with exit code 1");
      assertThat(program.stdout()).doesNotContain("verified");
    }
  }

  @Test
  void theDeadlineEndsBothSides() {
    ExampleRun program =
        ExampleRun.here(
            "kv-cache",
            "--backend=loopback",
            "--layers=1000",
            "--pages=1",
            "--page-size=64",
            "--layer-interval=60000",
            "--deadline=2");
    assertThat(program.code()).as(program::toString).isEqualTo(1);
    assertThat(program.stderr())
        .contains("decode: hand-over 1 with prefill", "prefill: hand-over 1 with decode");
  }

  // In a usual build the deadline is that of both sides in one process, above.
  @Test
  @Tag("nightly")
  void theDeadlineEndsBothProcesses() throws Exception {
    try (JavaProcess program =
        kvCache(
            "--layers=1000",
            "--pages=1",
            "--page-size=64",
            "--layer-interval=60000",
            "--deadline=10")) {
      assertThat(program.exitCode()).isEqualTo(1);
      assertThat(program.stderr())
          .containsPattern(Pattern.compile("^decode: hand-over 1 with prefill", Pattern.MULTILINE))
          .containsPattern(Pattern.compile("^prefill: hand-over 1 with decode", Pattern.MULTILINE))
          .hasLineCount(3);
    }
  }

  private static void kill(String pid) {
    assertThat(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly()).isTrue();
  }
}
