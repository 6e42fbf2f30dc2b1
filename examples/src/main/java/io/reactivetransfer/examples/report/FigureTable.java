package io.reactivetransfer.examples.report;

/** Lines of a table: a name, and its figures. */
public final class FigureTable {

  private final StringBuilder text = new StringBuilder();

  /** Without lines. */
  public FigureTable() {}

  /** One more line. */
  public void line(String name, String figures) {
    text.append("%-15s".formatted(name)).append(figures).append(System.lineSeparator());
  }

  /** An empty line. */
  public void gap() {
    text.append(System.lineSeparator());
  }

  /** All lines. */
  public String text() {
    return text.toString();
  }
}
