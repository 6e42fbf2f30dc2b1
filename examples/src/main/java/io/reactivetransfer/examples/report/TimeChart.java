package io.reactivetransfer.examples.report;

import io.reactivetransfer.tools.SvgDrawing;
import java.util.List;

/** A picture of what lasted from when to when: rows below each other, over one axis of time. */
public final class TimeChart {

  /** A colour, and what it stands for; styles are those of {@link SvgDrawing}. */
  public record Legend(String style, String text) {}

  private static final int WIDTH = 880;
  private static final int RIGHT = 24;
  private static final int TOP = 84;
  private static final int MOST_HEIGHT = 640;
  private static final int MOST_ROW = 24;
  private static final int LEAST_ROW = 4;
  private static final int LEAST_LABELLED_ROW = 12;
  private static final int FOOT = 60;
  private static final int STEPS = 8;
  private static final double LEAST_BAR = 1.5;

  private final int left;
  private final int rows;
  private final int row;
  private final double step;
  private final long begin;
  private final double end;
  private final SvgDrawing svg;

  /**
   * An empty one.
   *
   * @param left room for labels, in pixels
   * @param rows how many rows
   * @param begin microseconds of the first moment, on any clock
   * @param last microseconds of the last moment
   */
  public TimeChart(String title, int left, int rows, long begin, long last) {
    this.left = left;
    this.rows = rows;
    this.row = Math.clamp(MOST_HEIGHT / rows, LEAST_ROW, MOST_ROW);
    this.begin = begin;
    this.step = rounded((last - begin) / 1e3 / STEPS);
    this.end = Math.max(step, Math.ceil((last - begin) / 1e3 / step) * step);
    this.svg = new SvgDrawing(WIDTH, TOP + rows * row + FOOT, title);
    grid();
  }

  /**
   * What the colours stand for.
   *
   * @param dot what a dot stands for
   */
  public void legend(List<Legend> bars, Legend dot) {
    int x = left;
    for (Legend one : bars) {
      svg.add(
          "<rect class=\"bar %s\" x=\"%d\" y=\"44\" width=\"14\" height=\"10\" rx=\"2\"/>",
          one.style, x);
      svg.add("<text x=\"%d\" y=\"53\">%s</text>", x + 20, one.text);
      x += 48 + one.text.length() * 7;
    }
    svg.add("<circle class=\"%s\" cx=\"%d\" cy=\"49\" r=\"4\"/>", dot.style, x + 5);
    svg.add("<text x=\"%d\" y=\"53\">%s</text>", x + 16, dot.text);
  }

  private void grid() {
    int bottom = TOP + rows * row + 16;
    for (int i = 0; i * step <= end + step / 1_000; i++) {
      double x = left + (WIDTH - left - RIGHT) * (i * step / end);
      svg.add(
          "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", x, TOP, x, bottom);
      svg.add(
          "<text class=\"faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
          x, bottom + 20, plain(i * step));
    }
    svg.add(
        "<text class=\"faint\" x=\"%d\" y=\"%d\" text-anchor=\"end\">ms</text>",
        left - 12, bottom + 20);
  }

  /** Whether rows are high enough for each to have a label. */
  public boolean isLabelled() {
    return row >= LEAST_LABELLED_ROW;
  }

  /** What a row is. */
  public void label(int at, String text) {
    svg.add(
        "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
        left - 12, middle(at) + 4, text);
  }

  /**
   * What lasted from the one to the other moment.
   *
   * @param height part of the row
   * @param name shown where the pointer is
   */
  public void bar(int at, double height, String style, long first, long last, String name) {
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

  /** One moment. */
  public void dot(int at, String style, long when, String name) {
    svg.add(
        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%s: %.2f"
            + " ms</title></circle>",
        style, x(when), middle(at), Math.clamp(row * 0.22, 1.5, 4), name, millis(when));
  }

  /** Says below a row when it ends, if that is behind the end of the picture. */
  public void until(int at, long when) {
    if (millis(when) > end) {
      svg.add(
          "<text class=\"faint\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">until %.0f ms</text>",
          WIDTH - RIGHT, middle(at) + row, millis(when));
    }
  }

  /** All of it. */
  public String text() {
    return svg.text();
  }

  private double middle(int at) {
    return TOP + (at + 0.5) * row;
  }

  private double millis(long micros) {
    return (micros - begin) / 1e3;
  }

  private double x(long micros) {
    return left + (WIDTH - left - RIGHT) * (Math.clamp(millis(micros), 0, end) / end);
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
