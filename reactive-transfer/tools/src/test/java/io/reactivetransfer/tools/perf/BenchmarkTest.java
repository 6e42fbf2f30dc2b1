package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Sides that say what they are told to; so a second takes no time. */
class BenchmarkTest {

  private static final String FIGURES = "1000 1000000 10 20 30 40 50 0";

  private final List<String> runs = new ArrayList<>();

  private int runsOf(Plan plan, Long... compiledMillis) throws Exception {
    Queue<Long> compiled = new ArrayDeque<>(List.of(compiledMillis));
    Side origin =
        line ->
            switch (Role.word(line)) {
              case "run" -> {
                runs.add(line);
                yield FIGURES;
              }
              case "compiled" -> String.valueOf(compiled.remove());
              default -> "";
            };
    Side target = line -> Role.word(line).equals("compiled") ? "7" : "0 0";
    new Benchmark(plan, origin, target, new Progress(new PrintWriter(new StringWriter()), plan))
        .run();
    return runs.size();
  }

  @Test
  void warmsUpUntilTheCompilersHaveHardlyAnythingToDo() throws Exception {
    assertThat(runsOf(Plans.oneSize(true), 900L, 1_800L, 2_000L, 2_040L)).isEqualTo(1 + 3 + 1);
  }

  @Test
  void warmsUpNoLongerThanItIsTold() throws Exception {
    assertThat(runsOf(Plans.oneSize(false), 900L)).isEqualTo(1 + 1);
  }

  /** The reference leaves both sides with memory of the host, so the device is prepared anew. */
  @Test
  void measuresADeviceInTurnWithTheHost() throws Exception {
    assertThat(asked(Op.WRITE_IMM))
        .containsExactly(
            "prepare 100 fake:3 there",
            "run 1000000000 1", // warm-up
            "prepare 100 host there",
            "run 1000000000 2",
            "prepare 100 fake:3 there",
            "run 500000000 3",
            "prepare 100 host there",
            "run 500000000 4",
            "prepare 100 fake:3 there",
            "run 500000000 5",
            "prepare 100 host there",
            "run 500000000 6");
  }

  /** Whoever answers is told anew where to, as the memory of the other side is another one. */
  @Test
  void aPingPongIsReturnedToTheMemoryThatThereIsNow() throws Exception {
    assertThat(asked(Op.PING_PONG))
        .containsSubsequence("prepare 100 host there", "return 100 host there");
  }

  private static List<String> asked(Op op) throws Exception {
    Plan plan = Plans.besideHost(Device.of("fake", 3), op);
    List<String> asked = new ArrayList<>();
    Side origin =
        line ->
            switch (Role.word(line)) {
              case "run" -> {
                asked.add(line);
                yield FIGURES;
              }
              case "compiled" -> "0";
              case "prepare" -> {
                asked.add(line);
                yield line.substring("prepare ".length());
              }
              default -> "";
            };
    Side target =
        line ->
            switch (Role.word(line)) {
              case "compiled" -> "0";
              case "return" -> {
                asked.add(line);
                yield "";
              }
              case "prepare" -> "there";
              default -> "0 0";
            };
    List<Result> results =
        new Benchmark(plan, origin, target, new Progress(new PrintWriter(new StringWriter()), plan))
            .run();
    assertThat(results).singleElement().satisfies(it -> assertThat(it.ratio()).isEqualTo(1));
    return asked;
  }

  @Test
  void takesACompilerThatNeverEndsForOneThatHas() throws Exception {
    Long[] busy = new Long[100];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = i * 500L;
    }
    assertThat(runsOf(Plans.oneSize(true), busy)).isEqualTo(1 + 30 + 1);
  }
}
