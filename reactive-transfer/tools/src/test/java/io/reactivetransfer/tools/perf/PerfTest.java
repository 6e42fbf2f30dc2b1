package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a user starts it: real processes, real sockets. */
class PerfTest {

  private static JavaProcess perf(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("perf"));
    all.addAll(List.of(arguments));
    return JavaProcess.start("io.reactivetransfer.tools.Main", all.toArray(String[]::new));
  }

  @Test
  void twoProcessesEndWithATableAndWriteBothFiles(@TempDir Path folder) throws Exception {
    Path json = folder.resolve("figures.json");
    Path svg = folder.resolve("chart.svg");
    try (JavaProcess program =
        perf(
            "--size=4K,64k",
            "--outstanding=8",
            "--memory=3M",
            "--nics=2",
            "--seconds=0.1",
            "--warmup=0.1",
            "--rounds=2",
            "--verify",
            "--json=" + json,
            "--svg=" + svg)) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout())
          .contains(
              "write-imm over tcp, two processes, 8 outstanding, over 3 MiB, 2 NICs on each side")
          .containsPattern(" 4 KiB( +[0-9.,]+){7}\\n")
          .containsPattern("64 KiB( +[0-9.,]+){7}\\n")
          .contains("verified: what arrived has the checksum of what was written");
      assertThat(program.stderr()).isEmpty();
    }
    assertThat(JsonFileTest.read(json))
        .extracting(it -> it.get("size"))
        .containsExactly("4096", "65536");
    assertThat(SvgChartTest.parse(svg).getDocumentElement().getTextContent()).contains("64 KiB");
  }

  @Test
  void whenTheOriginIsKilledItIsNamed() throws Exception {
    whenOneSideIsKilledItIsNamed("origin");
  }

  // A usual build kills the origin, of which the program learns in the same way.
  @Tag("nightly")
  @Test
  void whenTheTargetIsKilledItIsNamed() throws Exception {
    whenOneSideIsKilledItIsNamed("target");
  }

  private static void whenOneSideIsKilledItIsNamed(String victim) throws Exception {
    try (JavaProcess program = perf("--size=64K", "--seconds=60", "--warmup=0.1")) {
      Matcher pids = program.awaitLine("origin is process (\\d+), target is process (\\d+)");
      String pid = pids.group(victim.equals("origin") ? 1 : 2);
      assertThat(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly()).isTrue();

      assertThat(program.exitCode()).isEqualTo(1);
      assertThat(program.stderr().strip().lines()).as(program.stderr()).hasSize(1);
      assertThat(program.stderr())
          .startsWith("reactive-transfer perf: ")
          .contains(victim + " (process " + pid + ") was killed by signal 9");
    }
  }

  // A usual build kills a listener in TwoHostsTest, and looks for its target, too.
  @Tag("nightly")
  @Test
  void whenTheProgramIsKilledBothSidesEnd() throws Exception {
    List<ProcessHandle> sides;
    try (JavaProcess program = perf("--size=64K", "--seconds=60", "--warmup=0.1")) {
      Matcher pids = program.awaitLine("origin is process (\\d+), target is process (\\d+)");
      sides =
          List.of(
              ProcessHandle.of(Long.parseLong(pids.group(1))).orElseThrow(),
              ProcessHandle.of(Long.parseLong(pids.group(2))).orElseThrow());
      sides.getFirst().parent().orElseThrow().destroyForcibly();
      for (ProcessHandle side : sides) {
        side.onExit().join();
      }
    }
    assertThat(sides).noneMatch(ProcessHandle::isAlive);
  }
}
