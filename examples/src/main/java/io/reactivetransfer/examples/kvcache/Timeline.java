package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.kvcache.Moment.What;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.SvgDrawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws what waits for what in a hand-over: a row for each layer, and one for the whole. */
final class Timeline {

  private static final int WIDTH = 880;
  private static final int LEFT = 96;
  private static final int RIGHT = 24;
  private static final int TOP = 84;
  private static final int MOST_HEIGHT = 640;
  private static final int MOST_ROW = 24;
  private static final int LEAST_ROW = 4;
  private static final int LEAST_LABELLED_ROW = 12;
  private static final int FOOT = 60;
  private static final int STEPS = 8;
  private static final double LEAST_BAR = 1.5;

  private final Plan plan;
  private final Map<What, Map<Integer, Long>> moments = new HashMap<>();
  private final int row;
  private final double step;
  private final long begin;
  private final double end;
  private final SvgDrawing svg;

  private Timeline(Plan plan, List<Moment> all) {
    this.plan = plan;
    all.forEach(one ->
        moments
            .computeIfAbsent(one.what(), what -> new HashMap<>())
            .put(one.layer(), one.micros()));
    this.row = Math.clamp(MOST_HEIGHT / (plan.shape().layers() + 2), LEAST_ROW, MOST_ROW);
    this.begin = all.stream().mapToLong(Moment::micros).min().orElse(0);
    long last = last(all);
    this.step = rounded((last - begin) / 1e3 / STEPS);
    this.end = Math.max(step, Math.ceil((last - begin) / 1e3 / step) * step);
    this.svg =
        new SvgDrawing(
            WIDTH,
            TOP + rows() * row + FOOT,
            "One KV-cache hand-over: %s over %s"
                .formatted(plan.shape(), Provider.carrier(plan.backend(), plan.provider())));
  }

  /** A scope may be much longer than what came before it: then its end is not in the picture. */
  private long last(List<Moment> all) {
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
    legend();
    grid();
    label(0, "request");
    bar(0, 0.5, "reference", What.ORDERED, -1, What.REQUESTED, -1, "the request is on its way");
    for (int layer = 0; layer < plan.shape().layers(); layer++) {
      layer(layer);
    }
    int scope = rows() - 1;
    label(scope, "scope");
    bar(scope, 0.5, "reference", What.ARRIVED, -1, What.RELEASED, -1, "decode reads its pages");
    Long released = micros(What.RELEASED, -1);
    if (released != null && millis(released) > end) {
      svg.add(
          "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">until %.0f ms</text>",
          WIDTH - RIGHT, TOP + (scope + 0.5) * row + row, millis(released));
    }
    return svg.text();
  }

  private void layer(int layer) {
    int at = layer + 1;
    if (row >= LEAST_LABELLED_ROW || layer % 8 == 0) {
      label(at, "layer " + layer);
    }
    bar(at, 0.5, "iperf3", What.COMPUTING, layer, What.COMPUTED, layer, "computed");
    bar(at, 0.5, "ours", What.COMPUTED, layer, What.WRITTEN, layer, "written");
    Long counted = micros(What.COUNTED, layer);
    if (counted != null) {
      svg.add(
          "<circle class=\"reference\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>layer %d counted"
              + " at decode: %.2f ms</title></circle>",
          x(counted), middle(at), Math.clamp(row * 0.22, 1.5, 4), layer, millis(counted));
    }
  }

  private void legend() {
    String[][] all = {
      {"iperf3", "computed by prefill"},
      {"ours", "written"},
      {"reference", "asked for, and read in the scope"}
    };
    int x = LEFT;
    for (String[] one : all) {
      svg.add(
          "<rect class=\"bar %s\" x=\"%d\" y=\"44\" width=\"14\" height=\"10\" rx=\"2\"/>",
          one[0], x);
      svg.add("<text x=\"%d\" y=\"53\">%s</text>", x + 20, one[1]);
      x += 48 + one[1].length() * 7;
    }
    svg.add("<circle class=\"reference\" cx=\"%d\" cy=\"49\" r=\"4\"/>", x + 5);
    svg.add("<text x=\"%d\" y=\"53\">counted by decode</text>", x + 16);
  }

  private void grid() {
    int bottom = TOP + rows() * row + 16;
    for (int i = 0; i * step <= end + step / 1_000; i++) {
      double x = LEFT + (WIDTH - LEFT - RIGHT) * (i * step / end);
      svg.add(
          "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, TOP, x, bottom);
      svg.add(
          "<text class=\"faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
          x, bottom + 20, plain(i * step));
    }
    svg.add(
        "<text class=\"faint\" x=\"%d\" y=\"%d\" text-anchor=\"end\">ms</text>",
        LEFT - 12, bottom + 20);
  }

  private void label(int at, String text) {
    svg.add(
        "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
        LEFT - 12, middle(at) + 4, text);
  }

  /** What lasted from the one to the other; nothing if one of them is not known. */
  private void bar(
      int at,
      double height,
      String style,
      What from,
      int fromLayer,
      What to,
      int toLayer,
      String name) {
    Long first = micros(from, fromLayer);
    Long last = micros(to, toLayer);
    if (first == null || last == null) {
      return;
    }
    svg.add(
        "<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1\">"
            + "<title>%s: %.2f ms to %.2f ms</title></rect>",
        style,
        x(first),
        middle(at) - row * height / 2,
        Math.max(LEAST_BAR, x(last) - x(first)),
        row * height,
        name,
        millis(first),
        millis(last));
  }

  private @Nullable Long micros(What what, int layer) {
    return moments.getOrDefault(what, Map.of()).get(layer);
  }

  private double middle(int at) {
    return TOP + (at + 0.5) * row;
  }

  private double millis(long micros) {
    return (micros - begin) / 1e3;
  }

  private double x(long micros) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (Math.min(end, millis(micros)) / end);
  }

  /** The next of 1, 2, 5 times a power of ten. */
  private static double rounded(double value) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-3))));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= value) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? String.format("%.0f", value) : String.format("%.2g", value);
  }
}
