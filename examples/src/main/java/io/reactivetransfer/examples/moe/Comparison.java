package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import io.reactivetransfer.examples.report.Percentiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Steps of processes that are warm, in turn with plain writes of the same bytes, so that a machine
 * that is slower for a while is so for both.
 */
final class Comparison {

  /**
   * What came of it.
   *
   * @param table the lines of the table
   * @param ratio the time of ours to that of the plain writes, the median
   */
  record Result(String table, double ratio) {

    /** What is wrong with it if it is to be as little as that; null if nothing is. */
    @Nullable String above(double most) {
      return ratio <= most
          ? null
          : "expected a ratio of %.2f or less (--at-most), got %.2f".formatted(most, ratio);
    }
  }

  private Comparison() {}

  /**
   * Compares them when both are warm: plain writes are new to compilers, and what had been compiled
   * for steps alone is compiled once more for both.
   *
   * @param warmUp how many rounds at most are not timed
   * @param rounds how many are
   */
  static Result run(Cluster cluster, int warmUp, int rounds)
      throws IOException, InterruptedException {
    cluster.answers("plain-open " + String.join(" ", cluster.answers("plain")));
    cluster.untilCompiled(
        warmUp,
        () -> {
          cluster.steps(cluster.some());
          plain(cluster);
        });
    List<Double> ours = new ArrayList<>();
    List<Double> plain = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    int count = cluster.some();
    Work ofOurs = Work.NONE;
    Work ofPlain = Work.NONE;
    for (int round = 0; round < rounds; round++) {
      Work before = cluster.work();
      ours.add(Times.of(cluster.steps(cluster.some())).percentiles(Half.STEP).p50Millis());
      Work between = cluster.work();
      plain.add(plain(cluster));
      ofPlain = ofPlain.and(cluster.work().since(between));
      ofOurs = ofOurs.and(between.since(before));
      ratios.add(ours.getLast() / plain.getLast());
    }
    cluster.answers("plain-close");
    double ratio = Median.of(ratios);
    FigureTable table = new FigureTable();
    table.gap();
    table.line(
        "step", "%.3f ms, medians of %d rounds of %d".formatted(Median.of(ours), rounds, count));
    table.line(
        "plain writes",
        "%.3f ms in turn with these: the same bytes out and back, one write for each pair of ranks"
            .formatted(Median.of(plain)));
    double steps = 1e6 * rounds * cluster.stepsDone(count);
    table.line(
        "CPU time",
        "%.2f ms for a step of a rank, %.2f for plain writes; of these compilers %.2f and %.2f"
            .formatted(
                ofOurs.all() / steps,
                ofPlain.all() / steps,
                ofOurs.ofCompilers() / steps,
                ofPlain.ofCompilers() / steps));
    table.line(
        "",
        "%.2f times as much without compilers"
            .formatted(ofOurs.withoutCompilers() / (double) ofPlain.withoutCompilers()));
    table.line(
        "ratio",
        "%.2f; %.2f to %.2f in these rounds"
            .formatted(
                ratio,
                ratios.stream().min(Double::compare).orElseThrow(),
                ratios.stream().max(Double::compare).orElseThrow()));
    return new Result(table.text(), ratio);
  }

  private static double plain(Cluster cluster) throws IOException, InterruptedException {
    long[] nanos =
        cluster.answers("plain-run " + cluster.some()).stream()
            .flatMapToLong(line -> LongStream.of(Times.ofLine(line)))
            .toArray();
    return Percentiles.of(nanos).p50Millis();
  }
}
