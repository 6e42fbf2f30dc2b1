package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.examples.report.Median;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Two micro-batches one by one, in turn with the same two overlapped. */
final class Overlap {

  private Overlap() {}

  /**
   * Runs it.
   *
   * @param stepMillis how long a step of one micro-batch takes by itself
   * @param workNanos of each of the two pieces of work of a layer
   */
  static String run(Cluster cluster, double stepMillis, long workNanos, int rounds)
      throws IOException, InterruptedException {
    int lanes = cluster.plan.lanes();
    double workMillis = 2L * lanes * workNanos / 1e6;
    double roundMillis = cluster.round.nanos() / 1e6;
    int layers = (int) Math.clamp(roundMillis / (workMillis + lanes * stepMillis), 3, 100);
    List<Double> oneByOne = new ArrayList<>();
    List<Double> overlapped = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      oneByOne.add(layer(cluster, layers, workNanos, false));
      overlapped.add(layer(cluster, layers, workNanos, true));
      ratios.add(oneByOne.getLast() / overlapped.getLast());
    }
    FigureTable table = new FigureTable();
    table.gap();
    table.line(
        "work",
        "%.3f ms before the tokens of each micro-batch are sent, and as much of its experts; not on the host's cores"
            .formatted(workNanos / 1e6));
    table.line(
        "one by one",
        "%.3f ms for a layer of %d micro-batches; median of %d rounds of %d layers"
            .formatted(Median.of(oneByOne), lanes, rounds, layers));
    table.line("overlapped", "%.3f ms in turn with these".formatted(Median.of(overlapped)));
    table.line(
        "gain",
        "%.2f times as fast; at best %.2f, if nothing but the work or nothing but the steps counted"
            .formatted(
                Median.of(ratios), Median.of(oneByOne) / Math.max(workMillis, lanes * stepMillis)));
    return table.text();
  }

  /** Milliseconds for a layer, of the rank that took longest. */
  private static double layer(Cluster cluster, int layers, long workNanos, boolean overlapped)
      throws IOException, InterruptedException {
    return layers(cluster, layers, workNanos, overlapped) / 1e6 / layers;
  }

  /** Takes micro-batches through layers; nanoseconds of the rank that took longest. */
  static long layers(Cluster cluster, int layers, long workNanos, boolean overlapped)
      throws IOException, InterruptedException {
    return cluster.answers("layers %d %d %b".formatted(layers, workNanos, overlapped)).stream()
        .mapToLong(Long::parseLong)
        .max()
        .orElseThrow();
  }
}
