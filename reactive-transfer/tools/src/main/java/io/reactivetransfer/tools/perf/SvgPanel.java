package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.SvgDrawing;
import java.util.List;
import java.util.Locale;

/** One diagram: lines over the sizes, which stand at equal distances. */
final class SvgPanel {

  private static final int WIDTH = 350;
  private static final int HEIGHT = 230;
  private static final int MARGIN = 62;
  private static final int STEPS = 5;
  private static final int LEGEND = 92;
  private static final int MAX_LABELS = 6;

  /**
   * A line.
   *
   * @param name for the legend
   * @param style classes of the style sheet
   * @param values one for each size
   */
  record Line(String name, String style, List<Double> values) {}

  private final String unit;
  private final int left;
  private final int top;
  private final boolean logarithmic;
  private final List<String> sizes;
  private final List<Line> lines;
  private final double bottomValue;
  private final double topValue;

  /**
   * Lays it out.
   *
   * @param unit what the values are
   * @param left of the picture
   * @param top of the picture
   * @param logarithmic whether the values are drawn by their logarithm
   * @param sizes labels of the horizontal axis
   * @param lines what is drawn
   */
  SvgPanel(
      String unit, int left, int top, boolean logarithmic, List<String> sizes, List<Line> lines) {
    this.unit = unit;
    this.left = left + MARGIN;
    this.top = top;
    this.logarithmic = logarithmic;
    this.sizes = sizes;
    this.lines = lines;
    double max = lines.stream().flatMap(it -> it.values().stream()).reduce(1e-3, Math::max);
    double min = lines.stream().flatMap(it -> it.values().stream()).reduce(max, Math::min);
    this.topValue = logarithmic ? Math.ceil(Math.log10(max) + 1e-9) : rounded(max / STEPS) * STEPS;
    this.bottomValue = logarithmic ? Math.floor(Math.log10(Math.max(min, 1e-3))) : 0;
  }

  void draw(SvgDrawing svg) {
    grid(svg);
    for (int i = 0; i < sizes.size(); i += (sizes.size() + MAX_LABELS - 1) / MAX_LABELS) {
      svg.add(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
          x(i), top + HEIGHT + 20, sizes.get(i));
    }
    svg.add(
        "<text class=\"faint\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
        left - 8, top - 10, unit);
    for (int i = 0; i < lines.size(); i++) {
      draw(svg, lines.get(i), i);
    }
  }

  private void grid(SvgDrawing svg) {
    int steps = logarithmic ? (int) (topValue - bottomValue) : STEPS;
    for (int step = 0; step <= steps; step++) {
      double share = (double) step / steps;
      double at = top + HEIGHT * (1 - share);
      double value = bottomValue + (topValue - bottomValue) * share;
      double shown = logarithmic ? Math.pow(10, value) : value;
      svg.add(
          "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
          left, at, left + WIDTH, at);
      svg.add(
          "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          left - 8, at + 4, plain(shown));
    }
  }

  private void draw(SvgDrawing svg, Line line, int index) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < line.values().size(); i++) {
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y(line.values().get(i))));
    }
    svg.add("<polyline class=\"line %s\" points=\"%s\"/>", line.style(), points.toString().strip());
    for (int i = 0; i < line.values().size(); i++) {
      svg.add(
          "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%s, %s: %s"
              + " %s</title></circle>",
          line.style(),
          x(i),
          y(line.values().get(i)),
          line.name(),
          sizes.get(i),
          plain(line.values().get(i)),
          unit);
    }
    int at = left + index * LEGEND;
    int below = top + HEIGHT + 52;
    svg.add(
        "<line class=\"line %s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
        line.style(), at, below - 4, at + 18, below - 4);
    svg.add("<text x=\"%d\" y=\"%d\">%s</text>", at + 22, below, line.name());
  }

  private double x(int index) {
    return left + WIDTH * (index + 0.5) / sizes.size();
  }

  private double y(double value) {
    double shown = logarithmic ? Math.log10(Math.max(value, Math.pow(10, bottomValue))) : value;
    return top + HEIGHT * (1 - (shown - bottomValue) / (topValue - bottomValue));
  }

  /** The next of 1, 2, 2.5, 5 times a power of ten. */
  private static double rounded(double step) {
    double power = Math.pow(10, Math.floor(Math.log10(step)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (factor * power >= step) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  private static String plain(double value) {
    return value >= 100 || value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3g", value);
  }
}
