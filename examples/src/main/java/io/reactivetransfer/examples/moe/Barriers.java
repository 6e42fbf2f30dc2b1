package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Three ways in which memory may be used again, in turn: that of the library, by the exchanges
 * themselves; with a barrier behind each exchange, as in the reference system; and with the memory
 * of another lane in each step.
 */
final class Barriers {

  /** A way. */
  enum Way {
    EXCHANGES,
    BARRIERS,
    LANES;

    /** As ranks are asked for it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Way of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT));
    }
  }

  /** What was seen of a way. */
  private static final class Seen {
    private final List<Double> millis = new ArrayList<>();
    private final List<Double> ratios = new ArrayList<>();
    private long cpuNanos;
  }

  private Barriers() {}

  static String run(Cluster cluster, int rounds) throws IOException, InterruptedException {
    cluster.answers("barrier-join " + String.join(" ", cluster.answers("barrier")));
    for (Way way : Way.values()) {
      measure(cluster, way, new Seen());
    }
    Seen exchanges = new Seen();
    Seen barriers = new Seen();
    Seen lanes = new Seen();
    for (int round = 0; round < rounds; round++) {
      measure(cluster, Way.EXCHANGES, exchanges);
      measure(cluster, Way.BARRIERS, barriers);
      measure(cluster, Way.LANES, lanes);
      for (Seen other : List.of(barriers, lanes)) {
        other.ratios.add(other.millis.getLast() / exchanges.millis.getLast());
      }
    }
    cluster.answers("barrier-close");
    double steps = 1e6 * rounds * cluster.stepsDone(cluster.some());
    FigureTable table = new FigureTable();
    table.gap();
    table.line(
        "exchanges only",
        "%.3f ms for a step, %.2f ms of CPU time of a rank; medians of %d rounds of %d"
            .formatted(
                Median.of(exchanges.millis), exchanges.cpuNanos / steps, rounds, cluster.some()));
    table.line(
        "barriers",
        line(
            barriers,
            steps,
            "a write without bytes to each rank and a claim behind each exchange"));
    table.line(
        "lanes in turn",
        line(
            lanes,
            steps,
            "each step in the memory of another of %d".formatted(cluster.plan.lanes())));
    return table.text();
  }

  private static String line(Seen seen, double steps, String how) {
    return "%.3f ms, %.2f ms in turn with these, %.2f times (%.2f to %.2f): %s"
        .formatted(
            Median.of(seen.millis),
            seen.cpuNanos / steps,
            Median.of(seen.ratios),
            seen.ratios.stream().min(Double::compare).orElseThrow(),
            seen.ratios.stream().max(Double::compare).orElseThrow(),
            how);
  }

  private static void measure(Cluster cluster, Way way, Seen seen)
      throws IOException, InterruptedException {
    Work before = cluster.work();
    List<Times> times =
        cluster.answers("steps-by %s %d".formatted(way, cluster.some())).stream()
            .map(Times::of)
            .toList();
    seen.cpuNanos += cluster.work().since(before).all();
    seen.millis.add(Times.of(times).percentiles(Half.STEP).p50Millis());
  }
}
