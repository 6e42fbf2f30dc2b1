package io.reactivetransfer.examples.observe;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** A narrow table, each row of which is printed at once. */
final class Table {

  private static final int TIME_WIDTH = 6;
  private static final int GAP = 2;

  private final List<Column> columns;
  private final int lines;
  private final PrintWriter out;

  Table(List<Column> columns, PrintWriter out) {
    this.columns = columns;
    this.lines = columns.stream().mapToInt(column -> column.heading().size()).max().orElse(0);
    this.out = out;
  }

  /** What the columns show, one above the other and all on the same ground. */
  void heading() {
    for (int i = 0; i < lines; i++) {
      StringBuilder line = new StringBuilder(right(i == lines - 1 ? "s" : "", TIME_WIDTH));
      for (Column column : columns) {
        List<String> heading = column.heading();
        int at = i - (lines - heading.size());
        line.append(right(at < 0 ? "" : heading.get(at), width(column)));
      }
      line(line.toString().stripTrailing());
    }
  }

  void row(Sample sample) {
    StringBuilder line =
        new StringBuilder(right(format("%.1f", sample.at().toMillis() / 1e3), TIME_WIDTH));
    for (Column column : columns) {
      line.append(right(format("%,.0f", sample.of(column.title())), width(column)));
    }
    line(line.toString());
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }

  /** As the page that shows it has it, wherever it runs. */
  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static int width(Column column) {
    return column.heading().stream().mapToInt(String::length).max().orElse(0) + GAP;
  }

  private static String right(String text, int width) {
    return " ".repeat(Math.max(0, width - text.length())) + text;
  }
}
