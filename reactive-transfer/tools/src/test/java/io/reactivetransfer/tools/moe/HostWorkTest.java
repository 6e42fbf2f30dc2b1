package io.reactivetransfer.tools.moe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
        .contains("4 ranks, " + threads + " thread", "routes", "results", "reference", "allocated");
  }
}
