package io.reactivetransfer.tools.moe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** One rank among others whose NIC moves nothing. */
class HostWorkTest {

  private static final int RANKS = 8;
  private static final int TOKENS = 32;
  private static final int WARM_UP = 2_000;
  private static final int STEPS = 1_000;

  /**
   * Before steps went by streams that live on, this was 500 bytes for each rank. What is left in
   * the virtual machines of tests are objects that only the second compiler does away with, which
   * is switched off there: with it, {@code host-work} says 0.
   */
  @Test
  void aStepAllocatesNextToNothing() {
    try (OneRank rank = OneRank.open(RANKS, TOKENS, true)) {
      steps(rank, WARM_UP);
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long before = threads.getCurrentThreadAllocatedBytes();
      steps(rank, STEPS);
      long bytes = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(bytes / STEPS).as("of %s bytes in %s steps", bytes, STEPS).isLessThan(1_024);
    }
  }

  private static void steps(OneRank rank, int count) {
    for (int i = 0; i < count; i++) {
      rank.step(Moments.NONE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theCommandPrintsItsFigures(int threads) {
    StringWriter out = new StringWriter();
    int code =
        new CommandLine(new HostWorkCommand())
            .setOut(new PrintWriter(out))
            .execute("--ranks=4", "--tokens=8", "--steps=20", "--rounds=2", "--threads=" + threads);
    assertThat(code).isZero();
    assertThat(out.toString())
        .contains("4 ranks, " + threads + " thread", "routes", "results", "reference", "allocated")
        .doesNotContain("barriers", "lanes");
  }

  /** Each lane has immediates of its own, and barriers one more. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2"})
  void barriersAndLanesInTurnAreMeasured(int threads, int lanes) {
    StringWriter out = new StringWriter();
    int code =
        new CommandLine(new HostWorkCommand())
            .setOut(new PrintWriter(out))
            .execute(
                "--ranks=3",
                "--tokens=8",
                "--steps=20",
                "--rounds=1",
                "--threads=" + threads,
                "--lanes=" + lanes,
                "--barriers");
    assertThat(code).isZero();
    assertThat(out.toString())
        .containsPattern("barriers +[0-9.]+ / [0-9.]+ +[0-9.]+ / [0-9.]+ +[0-9.]+ / [0-9.]+ ")
        .contains(
            lanes == 1
                ? "1 thread" + System.lineSeparator()
                : "2 threads, steps on 2 lanes in turn");
  }

  /**
   * A NIC that is cut off while a write of the last barrier is on its way never reports it, and no
   * engine closes before its writes are over. That was so in each fourth or fifth call.
   */
  @Test
  void aNicIsCutOffWhenItsWritesAreOver() {
    for (int round = 0; round < 20; round++) {
      OneRank.open(3, 8, true, 1, true).close();
    }
  }

  @Test
  void aStepHasTwoBarriers() {
    AtomicInteger barriers = new AtomicInteger();
    try (OneRank rank = OneRank.open(3, 8, true, 1, true)) {
      for (int step = 0; step < 5; step++) {
        rank.step((exchange, begun, enqueued, turn, first, last) -> {
          if (exchange == OneRank.Exchange.BARRIER) {
            assertThat(last).isGreaterThanOrEqualTo(first).isGreaterThan(begun);
            barriers.incrementAndGet();
          }
        });
      }
    }
    assertThat(barriers).hasValue(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--ranks=1", "--lanes=0", "--lanes=9", "--threads=3"})
  void aWrongValueIsRefused(String option) {
    StringWriter err = new StringWriter();
    int code = new CommandLine(new HostWorkCommand()).setErr(new PrintWriter(err)).execute(option);
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains(option.substring(0, option.indexOf('=')));
  }
}
