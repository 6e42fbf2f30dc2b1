package io.reactivetransfer.examples.moe;

import io.reactivetransfer.examples.report.TimeChart;
import io.reactivetransfer.examples.report.TimeChart.Legend;
import io.reactivetransfer.tools.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Draws what waits for what: for each lane of each rank what it works and waits for, and what it
 * writes.
 */
final class Timeline {

  private static final int LAYERS = 3;
  private static final int LEFT = 136;
  private static final String WORKS = "iperf3";
  private static final String WRITES = "ours";
  private static final String WAITS = "reference";

  private final Plan plan;
  private final boolean hasWork;
  private final TimeChart chart;

  private Timeline(Plan plan, boolean hasWork, List<List<Span>> ranks) {
    this.plan = plan;
    this.hasWork = hasWork;
    this.chart =
        new TimeChart(
            "%d steps of %d ranks over %s: %,d tokens of each to %d of %,d experts%s"
                .formatted(
                    LAYERS,
                    plan.ranks(),
                    Provider.carrier(plan.backend(), plan.provider()),
                    plan.tokens(),
                    plan.topK(),
                    plan.experts(),
                    plan.lanes() == 1 ? "" : ", on each of %d lanes".formatted(plan.lanes())),
            LEFT,
            plan.ranks() * rowsOfARank(),
            ranks.stream().flatMap(List::stream).mapToLong(Span::from).min().orElse(0) / 1_000,
            ranks.stream().flatMap(List::stream).mapToLong(Span::to).max().orElse(0) / 1_000);
  }

  /**
   * Takes micro-batches through a few layers, and draws that.
   *
   * @param workNanos of each of the two pieces of work of a layer; 0 for none
   */
  static void write(Path file, Cluster cluster, long workNanos)
      throws IOException, InterruptedException {
    Overlap.layers(cluster, LAYERS, workNanos, true);
    List<List<Span>> ranks = cluster.answers("spans").stream().map(Span::of).toList();
    Timeline timeline = new Timeline(cluster.plan, workNanos > 0, ranks);
    Files.writeString(file, timeline.text(ranks));
  }

  private int rowsOfARank() {
    return 2 * plan.lanes();
  }

  private String text(List<List<Span>> ranks) {
    List<Legend> bars =
        List.of(new Legend(WRITES, "writes"), new Legend(WAITS, "waits for others, copies"));
    chart.legend(
        hasWork ? List.of(new Legend(WORKS, "works"), bars.getFirst(), bars.getLast()) : bars,
        new Legend(WAITS, "has its sums"));
    for (int rank = 0; rank < ranks.size(); rank++) {
      rank(rank * rowsOfARank(), "rank " + rank, ranks.get(rank));
    }
    return chart.text();
  }

  private void rank(int first, String name, List<Span> spans) {
    for (int lane = 0; lane < plan.lanes(); lane++) {
      String of = plan.lanes() == 1 ? name : lane == 0 ? name + ", lane 0" : "lane " + lane;
      chart.label(first + 2 * lane, of);
      chart.label(first + 2 * lane + 1, "writes");
    }
    for (Span span : spans) {
      int row = first + 2 * span.lane();
      switch (span.what()) {
        case WORK, EXPERTS -> bar(row, WORKS, span);
        case DISPATCH_SEND, COMBINE_SEND -> bar(row + 1, WRITES, span);
        case DISPATCH_RECEIVE -> bar(row, WAITS, span);
        case COMBINE_RECEIVE -> {
          bar(row, WAITS, span);
          chart.dot(row, WAITS, span.to() / 1_000, name + " has its sums");
        }
      }
    }
  }

  private void bar(int row, String style, Span span) {
    String name = plan.lanes() == 1 ? "" : "lane " + span.lane() + ": ";
    chart.bar(row, 0.5, style, span.from() / 1_000, span.to() / 1_000, name + span.what());
  }
}
