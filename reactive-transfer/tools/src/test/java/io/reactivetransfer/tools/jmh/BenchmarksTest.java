package io.reactivetransfer.tools.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Each benchmark that needs no GPU runs: what they measure takes longer than a test has. Those that
 * need one have a test among the examples, which has a fake of it.
 */
class BenchmarksTest {

  @Test
  void everyBenchmarkRunsWithEachOfItsParameters() throws RunnerException {
    System.setProperty("jmh.ignoreLock", "true"); // nobody measures here
    Options options =
        new OptionsBuilder()
            .include("io\\.reactivetransfer\\.tools\\.jmh\\..*")
            .exclude("\\.Cuda") // these need a GPU, or its fake, in a process of their own
            .param("kernel", "BF16-FP8_E4M3-block") // all of them together take half a minute
            .param("ranks", "8") // 64 take long to join
            .forks(0)
            .warmupIterations(1)
            .warmupTime(TimeValue.milliseconds(10))
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(50))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = new Runner(options).run();
    assertThat(results).hasSize(14);
    assertThat(results)
        .allSatisfy(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
  }

  @ParameterizedTest
  @ValueSource(strings = {"byHand", "immediate", "parallel"})
  void aRunMayTakeLongerThanTheLivenessDeadline(String threads) throws InterruptedException {
    SubmitBenchmark benchmark = new SubmitBenchmark();
    benchmark.threads = threads;
    benchmark.livenessDeadline = Duration.ofMillis(500);
    benchmark.open();
    try {
      long endNanos = System.nanoTime() + 5 * benchmark.livenessDeadline.toNanos();
      while (System.nanoTime() - endNanos < 0) {
        benchmark.writeImm();
        benchmark.pagedWrite();
      }
    } finally {
      benchmark.close();
    }
  }
}
