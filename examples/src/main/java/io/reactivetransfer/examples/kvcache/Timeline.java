package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.kvcache.Moment.What;
import io.reactivetransfer.examples.report.TimeChart;
import io.reactivetransfer.examples.report.TimeChart.Legend;
import io.reactivetransfer.tools.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws what waits for what in a hand-over: a row for each layer, and one for the whole. */
final class Timeline {

  private static final int LEFT = 96;

  private final Plan plan;
  private final Map<What, Map<Integer, Long>> moments = new HashMap<>();
  private final TimeChart chart;

  private Timeline(Plan plan, List<Moment> all) {
    this.plan = plan;
    all.forEach(one ->
        moments
            .computeIfAbsent(one.what(), what -> new HashMap<>())
            .put(one.layer(), one.micros()));
    long begin = all.stream().mapToLong(Moment::micros).min().orElse(0);
    this.chart =
        new TimeChart(
            "One KV-cache hand-over: %s over %s"
                .formatted(plan.shape(), Provider.carrier(plan.backend(), plan.provider())),
            LEFT,
            rows(),
            begin,
            last(all, begin));
  }

  /** A scope may be much longer than what came before it: then its end is not in the picture. */
  private long last(List<Moment> all, long begin) {
    long last = all.stream().mapToLong(Moment::micros).max().orElse(1);
    Long arrived = micros(What.ARRIVED, -1);
    return arrived == null ? last : Math.min(last, arrived + (arrived - begin) / 4);
  }

  static void write(Path file, Plan plan, List<Moment> moments) throws IOException {
    Files.writeString(file, new Timeline(plan, moments).text());
  }

  /** Layers, the request before them, and the scope behind them. */
  private int rows() {
    return plan.shape().layers() + 2;
  }

  private String text() {
    chart.legend(
        List.of(
            new Legend("iperf3", "computed by prefill"),
            new Legend("ours", "written"),
            new Legend("reference", "asked for, and read in the scope")),
        new Legend("reference", "counted by decode"));
    chart.label(0, "request");
    bar(0, "reference", What.ORDERED, -1, What.REQUESTED, "the request is on its way");
    for (int layer = 0; layer < plan.shape().layers(); layer++) {
      layer(layer);
    }
    int scope = rows() - 1;
    chart.label(scope, "scope");
    bar(scope, "reference", What.ARRIVED, -1, What.RELEASED, "decode reads its pages");
    Long released = micros(What.RELEASED, -1);
    if (released != null) {
      chart.until(scope, released);
    }
    return chart.text();
  }

  private void layer(int layer) {
    int at = layer + 1;
    if (chart.isLabelled() || layer % 8 == 0) {
      chart.label(at, "layer " + layer);
    }
    bar(at, "iperf3", What.COMPUTING, layer, What.COMPUTED, "computed");
    bar(at, "ours", What.COMPUTED, layer, What.WRITTEN, "written");
    Long counted = micros(What.COUNTED, layer);
    if (counted != null) {
      chart.dot(at, "reference", counted, "layer " + layer + " counted at decode");
    }
  }

  /** What lasted from the one to the other; nothing if one of them is not known. */
  private void bar(int at, String style, What from, int layer, What to, String name) {
    Long first = micros(from, layer);
    Long last = micros(to, layer);
    if (first != null && last != null) {
      chart.bar(at, 0.5, style, first, last, name);
    }
  }

  private @Nullable Long micros(What what, int layer) {
    return moments.getOrDefault(what, Map.of()).get(layer);
  }
}
