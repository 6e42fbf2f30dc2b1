package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import io.reactivetransfer.examples.report.Round;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.perf.PagedRuns;
import io.reactivetransfer.tools.perf.SideFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hand-overs in processes that are warm, in turn with the plain transfer of pages of the same size,
 * so that a machine that is slower for a while is so for both.
 */
final class Comparison {

  /** Pages of one plain transfer: as a layer has, if it is not huge. */
  private static final long MOST_BYTES = 64L << 20;

  /**
   * What came of it.
   *
   * @param table the lines of the table
   * @param ratio ours to the plain transfer, the median
   */
  record Result(String table, double ratio) {

    /** What is wrong with it if it is to be as much as that; null if nothing is. */
    @Nullable String shortOf(double least) {
      return ratio >= least
          ? null
          : String.format("expected a ratio of %.2f or more (--at-least), got %.2f", least, ratio);
    }
  }

  private Comparison() {}

  /**
   * Runs it.
   *
   * @param warmups the most rounds of each process before those that count
   */
  static Result run(Plan plan, int warmups, int rounds, Round round)
      throws IOException, InterruptedException, SideFailedException {
    int pages = Math.clamp(MOST_BYTES / plan.shape().pageBytes(), 1, plan.shape().pages());
    // As much memory as a hand-over goes over: what caches hold is faster.
    long memory = plan.shape().bytes();
    List<Double> ours = new ArrayList<>();
    List<Double> plain = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    long verified;
    try (Workers workers = Workers.open(plan, 1, 1);
        PagedRuns paged =
            PagedRuns.open(
                plan.backend(),
                plan.provider(),
                plan.nics(),
                plan.shape().pageBytes(),
                pages,
                Node.LAYERS_IN_FLIGHT,
                memory)) {
      workers.warmUp(warmups, round);
      warmUp(paged, 2 * warmups, round);
      for (int i = 0; i < rounds; i++) {
        ours.add((double) workers.run(round.nanos()).getFirst());
        plain.add(paged.bytesPerSecond(round.length()));
        ratios.add(ours.getLast() / plain.getLast());
      }
      verified = workers.verify();
    }
    FigureTable table = new FigureTable();
    table.line(
        "warm",
        ("%s at decode, one hand-over after the other; median of %d rounds of %s; %,d pages of"
                + " another one compared")
            .formatted(gigabytes(Median.of(ours)), rounds, round, verified));
    table.line(
        "perf paged",
        "%s in turn with these: whole pages of %s, %d in an operation, %d of them in flight, over %s"
            .formatted(
                gigabytes(Median.of(plain)),
                new ByteCount(plan.shape().pageBytes()),
                pages,
                Node.LAYERS_IN_FLIGHT,
                new ByteCount(memory)));
    table.line(
        "ratio",
        "%.2f; %.2f to %.2f in these rounds"
            .formatted(
                Median.of(ratios),
                ratios.stream().min(Double::compare).orElseThrow(),
                ratios.stream().max(Double::compare).orElseThrow()));
    return new Result(table.text(), Median.of(ratios));
  }

  private static void warmUp(PagedRuns paged, int rounds, Round round)
      throws SideFailedException, InterruptedException {
    long compiled = -1;
    for (int i = 0; i < rounds; i++) {
      paged.bytesPerSecond(round.length());
      long now = paged.compiledMillis();
      if (compiled >= 0 && now - compiled <= Workers.SETTLED_MILLIS) {
        return;
      }
      compiled = now;
    }
  }

  private static String gigabytes(double bytes) {
    return "%.2f GB/s".formatted(bytes / 1e9);
  }
}
