package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tables as large as those of the paper: 10^12 parameters from 256 to 128 ranks. In a process of
 * its own, whose heap is the bound of the memory.
 */
@Timeout(300)
class PlannerSizeTest {

  private static final Duration MOST_TIME = Duration.ofSeconds(2);
  private static final double MOST_IMBALANCE = 1.05;
  private static final int ATTEMPTS = 10; // ends with the first that is fast enough

  /** Runs in the other process. */
  static final class Program {

    private Program() {}

    public static void main(String[] args) {
      PaperModel model = new PaperModel();
      System.out.println("parameters " + model.parameters());
      System.out.println("tensors " + model.tensors() + " to " + model.wanted());
      RoutingTable table = null;
      long least = Long.MAX_VALUE;
      for (int i = 0; i < ATTEMPTS && least > MOST_TIME.toNanos(); i++) {
        table = null; // the one before is not counted
        // What the thread has computed: other work on the machine does not count.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = System.nanoTime();
        long computed = threads.getCurrentThreadCpuTime();
        table = Planner.create().plan(model.sources, model.targets);
        long nanos = threads.getCurrentThreadCpuTime() - computed;
        least = Math.min(least, nanos);
        long passed = (System.nanoTime() - begin) / 1_000_000;
        System.out.println("took " + nanos / 1_000_000 + " ms in " + passed + " ms");
      }
      PlanCost cost = table.cost();
      System.out.println(table);
      System.out.println(cost);
      System.out.println("at 50 GB/s " + cost.time(50e9).toMillis() + " ms");
      System.out.println("least " + least);
      System.out.println("sources " + cost.sourceImbalance());
      System.out.println("nics " + cost.nicImbalance());
      System.out.println("targets " + cost.targetImbalance());
      System.out.println("incoming " + incomingImbalance(table));
    }
  }

  /** What the busiest NIC of the inference ranks gets, over the mean of them. */
  private static double incomingImbalance(RoutingTable table) {
    LongSummaryStatistics bytes =
        table.targets().stream()
            .flatMap(rank -> rank.nics().stream())
            .distinct()
            .mapToLong(nic -> table.cost().in().getOrDefault(nic, 0L))
            .summaryStatistics();
    return bytes.getMax() / bytes.getAverage();
  }

  // In a usual build PlannerPropertyTest plans small tables; what a large one costs is not shown.
  @Tag("nightly")
  @Test
  void plansInTwoSecondsAndOneGibibyte() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx1g",
                    "-XX:+UseParallelGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Program.class.getName()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(number(said, "parameters")).isGreaterThan(1e12);
    assertThat(number(said, "tensors")).isGreaterThanOrEqualTo(2_000);
    assertThat(number(said, "least")).as(said).isLessThanOrEqualTo(MOST_TIME.toNanos());
    assertThat(number(said, "sources")).as(said).isLessThanOrEqualTo(MOST_IMBALANCE);
    assertThat(number(said, "nics")).as(said).isLessThanOrEqualTo(MOST_IMBALANCE);
    assertThat(number(said, "targets")).as(said).isLessThanOrEqualTo(MOST_IMBALANCE);
    assertThat(number(said, "incoming")).as(said).isLessThanOrEqualTo(MOST_IMBALANCE);
  }

  private static double number(String said, String name) {
    return said.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.split(" ")[1]))
        .findFirst()
        .orElseThrow(() -> new AssertionError(said));
  }
}
