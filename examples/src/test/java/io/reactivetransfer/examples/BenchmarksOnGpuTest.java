package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each benchmark of a GPU runs, on the fake: what they measure takes longer than a test has, and
 * figures of the fake say nothing. Of four sizes of copies those two are left out that are long.
 */
class BenchmarksOnGpuTest {

  private static final int SCORE = 4; // the column of a result

  @TempDir private Path folder;

  @Test
  void everyBenchmarkRuns() throws Exception {
    Path csv = folder.resolve("results.csv");
    ExampleRun program =
        GpuProgram.run(
            ("jmh \\.Cuda -p bytes=8,65536 -f 0 -wi 1 -w 10ms -i 1 -r 50ms -foe true -rf csv -rff "
                    + csv)
                .split(" "));
    assertThat(program.code()).as(program::toString).isZero();
    // One line per benchmark and set of parameters, beside those of percentiles.
    assertThat(Files.readAllLines(csv).stream().skip(1).filter(line -> !line.contains(":p")))
        .hasSize(2 * 5 + 5)
        .allSatisfy(line -> assertThat(Double.parseDouble(line.split(",")[SCORE])).isPositive());
  }
}
