package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.report.TimeChart;
import io.reactivetransfer.examples.report.TimeChart.Legend;
import io.reactivetransfer.examples.weights.Moment.What;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Draws what waits for what in an update: rows for the controller, each trainer and each rank. */
final class Timeline {

  private static final int LEFT = 136;
  private static final String WORKS = "iperf3";
  private static final String WRITES = "ours";
  private static final String WAITS = "reference";

  private final Cluster cluster;
  private final UpdateEnd end;
  private final TimeChart chart;

  private Timeline(Cluster cluster, UpdateEnd end) {
    this.cluster = cluster;
    this.end = end;
    Plan plan = cluster.plan;
    this.chart =
        new TimeChart(
            "One update: %s from %s to %s over %s"
                .formatted(
                    new ByteCount(cluster.weights.model().bytes()),
                    plan.from(),
                    plan.to(),
                    Provider.carrier(plan.backend(), plan.provider())),
            LEFT,
            1 + 2 * plan.trainers() + plan.ranks(),
            micros(end.beganNanos()),
            micros(end.endedNanos()));
  }

  static void write(Path file, Cluster cluster, UpdateEnd end)
      throws IOException, InterruptedException {
    Files.writeString(file, new Timeline(cluster, end).text());
  }

  private String text() throws IOException, InterruptedException {
    chart.legend(
        List.of(
            new Legend(WORKS, "prepares"),
            new Legend(WRITES, "writes, or is written to"),
            new Legend(WAITS, "waits for others")),
        new Legend(WAITS, "flipped"));
    chart.label(0, "controller");
    bar(0, WAITS, end.beganNanos(), end.toldNanos(), "until all ranks are open");
    bar(0, WRITES, end.toldNanos(), end.writtenNanos(), "until all trainers have written");
    bar(0, WAITS, end.writtenNanos(), end.endedNanos(), "until all ranks have flipped");
    int row = 1;
    for (int i = 0; i < cluster.count(Role.TRAINER); i++) {
      trainer(row, Role.TRAINER.name(i), cluster.moments(Role.TRAINER, i));
      row += 2;
    }
    for (int i = 0; i < cluster.count(Role.RANK); i++) {
      rank(row++, Role.RANK.name(i), cluster.moments(Role.RANK, i));
    }
    return chart.text();
  }

  private void trainer(int row, String name, List<Moment> moments) {
    chart.label(row, name + " prepares");
    chart.label(row + 1, "writes");
    for (int i = 0; i + 1 < moments.size(); i++) {
      Moment from = moments.get(i);
      Moment to = moments.get(i + 1);
      switch (from.what()) {
        case PREPARES -> bar(row, WORKS, from.nanos(), to.nanos(), "prepares");
        case RUNS -> bar(row + 1, WRITES, from.nanos(), to.nanos(), "hands writes over");
        case HANDED_OVER ->
            bar(row + 1, WAITS, from.nanos(), to.nanos(), "the last ones on their way");
        default -> {}
      }
    }
  }

  private void rank(int row, String name, List<Moment> moments) {
    chart.label(row, name);
    long filled = last(moments, What.FILLED);
    long flipped = last(moments, What.FLIPPED);
    if (filled > 0 && flipped > filled) {
      bar(row, WRITES, end.toldNanos(), filled, "is written to");
      bar(row, WAITS, filled, flipped, "has all bytes, until it serves them");
      chart.dot(row, WAITS, micros(flipped), name + " flipped");
    }
  }

  private static long last(List<Moment> moments, What what) {
    return moments.stream()
        .filter(moment -> moment.what() == what)
        .mapToLong(Moment::nanos)
        .max()
        .orElse(0);
  }

  private void bar(int row, String style, long from, long to, String name) {
    chart.bar(row, 0.5, style, micros(from), micros(to), name);
  }

  private static long micros(long nanos) {
    return nanos / 1_000;
  }
}
