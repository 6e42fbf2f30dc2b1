package io.reactivetransfer.tools;

import java.util.Locale;

/**
 * A picture that follows the reader's colour scheme. Classes of what is drawn: {@code title} and
 * {@code faint} for text, {@code grid} and {@code line} for lines, {@code bar} for what is filled,
 * each of the latter two with one of {@code ours}, {@code reference} and {@code iperf3} as its
 * colour.
 */
public final class SvgDrawing {

  /** Both schemes: text and lines have a contrast of at least 4.5 to the ground. */
  private static final String STYLE =
      """
      <style>
        text { font: 12px system-ui, sans-serif; fill: #1f2328; }
        .title { font-size: 15px; font-weight: 600; }
        .faint { fill: #59636e; }
        .ground { fill: #ffffff; }
        .grid { stroke: #d8dee4; }
        .line { fill: none; stroke-width: 2; }
        .dashed { stroke-dasharray: 6 4; }
        .ours { stroke: #0b5cad; }
        .reference { stroke: #a04100; }
        .iperf3 { stroke: #6639ba; }
        circle.ours, .bar.ours { fill: #0b5cad; }
        circle.reference, .bar.reference { fill: #a04100; }
        circle.iperf3, .bar.iperf3 { fill: #6639ba; }
        .bar { stroke: none; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3; }
          .faint { fill: #9198a1; }
          .ground { fill: #0d1117; }
          .grid { stroke: #30363d; }
          .ours { stroke: #6cb6ff; }
          .reference { stroke: #f0a35e; }
          .iperf3 { stroke: #c297ff; }
          circle.ours, .bar.ours { fill: #6cb6ff; }
          circle.reference, .bar.reference { fill: #f0a35e; }
          circle.iperf3, .bar.iperf3 { fill: #c297ff; }
        }
      </style>
      """;

  private final StringBuilder svg = new StringBuilder();

  /** An empty one. */
  public SvgDrawing(int width, int height, String title) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">",
        width, height);
    add("<title>%s</title>", title);
    svg.append(STYLE);
    add("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>", width, height);
    add("<text class=\"title\" x=\"16\" y=\"28\">%s</text>", title);
  }

  /** One more element; texts among the values are escaped. */
  public void add(String format, Object... values) {
    Object[] escaped = values.clone();
    for (int i = 0; i < escaped.length; i++) {
      if (escaped[i] instanceof String text) {
        escaped[i] = escape(text);
      }
    }
    svg.append(String.format(Locale.ROOT, format, escaped)).append(System.lineSeparator());
  }

  /** All of it. */
  public String text() {
    return svg + "</svg>" + System.lineSeparator();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
