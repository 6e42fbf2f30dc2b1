package io.reactivetransfer.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The tables of docs/examples.md. */
final class ExamplesPage {

  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  static final Path FILE = ROOT.resolve("docs/examples.md");
  static final Path SOURCES = Path.of("src/main/java/io/reactivetransfer/examples");

  /** Of the module with Spring Boot, which is on no class path here. */
  static final Path WITH_SPRING = ROOT.resolve("examples/spring").resolve(SOURCES);

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| \\[(\\w+)\\]\\(([^)]+)\\) \\| ([^|]+) \\|([^|]*)\\| ([^|]*) \\|$");
  private static final Pattern LINE = Pattern.compile("`([^`]+)`");

  /** Between what is printed where there is a GPU, and a line of what is printed elsewhere. */
  private static final String WITHOUT_GPU = "; without a GPU … ";

  private ExamplesPage() {}

  /**
   * One program.
   *
   * @param name that of its class
   * @param file where the link leads
   * @param needs artifacts besides those that all need
   * @param prints lines of what it prints, in no certain order
   * @param printsMore whether there are others, too
   * @param withoutGpu lines of what it prints instead where there is no GPU; empty if that is the
   *     same
   */
  record Row(
      String name,
      Path file,
      List<String> needs,
      List<String> prints,
      boolean printsMore,
      List<String> withoutGpu) {

    /** Whether it is one of those that print no more and no less than is said. */
    boolean isHowTo() {
      return file.getParent().endsWith("howto");
    }

    /** Whether it is of another module, whose tests run it. */
    boolean isElsewhere() {
      return file.startsWith(WITH_SPRING);
    }

    String className() {
      return "io.reactivetransfer.examples." + file.getParent().getFileName() + "." + name;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Row> rows() throws IOException {
    return ROW.matcher(Files.readString(FILE)).results().map(ExamplesPage::row).toList();
  }

  private static Row row(MatchResult row) {
    String[] printed = row.group(5).split(WITHOUT_GPU, 2);
    return new Row(
        row.group(1),
        FILE.resolveSibling(row.group(2)).normalize(),
        quoted(row.group(4)),
        quoted(printed[0]),
        printed[0].startsWith("…"),
        printed.length == 1 ? List.of() : quoted(printed[1]));
  }

  private static List<String> quoted(String cell) {
    return LINE.matcher(cell).results().map(line -> line.group(1)).toList();
  }
}
