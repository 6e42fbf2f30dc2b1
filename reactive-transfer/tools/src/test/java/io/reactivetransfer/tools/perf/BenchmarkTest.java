package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void takesACompilerThatNeverEndsForOneThatHas() throws Exception {
    Long[] busy = new Long[100];
    for (int i = 0; i < busy.length; i++) {
      busy[i] = i * 500L;
    }
    assertThat(runsOf(Plans.oneSize(true), busy)).isEqualTo(1 + 30 + 1);
  }
}
