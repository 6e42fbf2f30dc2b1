package io.reactivetransfer.tools.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine;

/**
 * Each benchmark that needs no GPU runs: what they measure takes longer than a test has. Those that
 * need one have a test among the examples, which has a fake of it.
 */
// A usual build compiles the benchmarks, and runs none.
@Tag("merge")
class BenchmarksTest {

  @TempDir private Path folder;

  @Test
  void everyBenchmarkRunsWithEachOfItsParameters() throws RunnerException {
    System.setProperty("jmh.ignoreLock", "true"); // nobody measures here
    Options options =
        new OptionsBuilder()
            .include("io\\.reactivetransfer\\.tools\\.jmh\\..*")
            .exclude("\\.Cuda") // these need a GPU, or its fake, in a process of their own
            .param("kernel", "BF16-FP8_E4M3-block") // all of them together take half a minute
            .param("ranks", "4") // 64 take long to join
            .param("mebibytes", "16") // 256 take seconds to fill
            .forks(0)
            .warmupIterations(1)
            .warmupTime(TimeValue.milliseconds(10))
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(50))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();
    Collection<RunResult> results = new Runner(options).run();
    assertThat(results).hasSize(19);
    assertThat(results)
        .allSatisfy(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
  }

  @ParameterizedTest
  @ValueSource(strings = {"byHand", "parallel"})
  void aRunMayTakeLongerThanTheLivenessDeadline(String threads) throws InterruptedException {
    SubmitBenchmark benchmark = new SubmitBenchmark();
    benchmark.threads = threads;
    benchmark.livenessDeadline = Duration.ofMillis(200);
    benchmark.open();
    try {
      long endNanos = System.nanoTime() + 2 * benchmark.livenessDeadline.toNanos();
      while (System.nanoTime() - endNanos < 0) {
        benchmark.writeImm();
        benchmark.pagedWrite();
        benchmark.singleWrite();
      }
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"none, 0, 0", "events, 0, 0", "recording, 66, 0", "meters, 0, 66"})
  void aRecorderIsToldOfStreams(String recorder, int events, int timed) throws Exception {
    SubmitBenchmark benchmark = new SubmitBenchmark();
    benchmark.recorder = recorder;
    benchmark.open();
    try {
      benchmark.writeImm();
      benchmark.pagedWrite();
      benchmark.singleWrite();
      assertThat(recordedStreams(benchmark.measured)).isEqualTo(events);
      // Meters are registered by another thread.
      await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(timedStreams(benchmark.measured)).isEqualTo(timed));
    } finally {
      benchmark.close();
    }
  }

  @Test
  void whatRecordersAddIsSaidOfEachOfThem() {
    StringWriter out = new StringWriter();
    CommandLine command =
        new CommandLine(new RecorderCostCommand()).setOut(new PrintWriter(out, true));
    assertThat(command.execute("--rounds", "5")).isZero();
    for (String what : List.of("a write of a stream", "a stream of one write")) {
      assertThat(out.toString().substring(out.toString().indexOf(what)).lines().skip(2).limit(4))
          .extracting(line -> line.strip().split(" ")[0])
          .containsExactly("none", "events", "meters", "none");
    }
  }

  @Test
  void namesTheRecordersThatThereAre() {
    SubmitBenchmark benchmark = new SubmitBenchmark();
    benchmark.recorder = "meter";
    assertThatThrownBy(benchmark::open)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none, events, recording, meters")
        .hasMessageContaining("'meter'");
  }

  private long recordedStreams(MeasuredRecorder measured) throws IOException {
    Recording recording = measured.recording();
    if (recording == null) {
      return 0;
    }
    Path file = folder.resolve("streams.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("io.reactivetransfer.StreamEnded"))
        .count();
  }

  private static long timedStreams(MeasuredRecorder measured) {
    MeterRegistry registry = measured.registry();
    return registry == null
        ? 0
        : registry.find("reactive.transfer.streams").timers().stream()
            .mapToLong(Timer::count)
            .sum();
  }
}
