package io.reactivetransfer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The paths through the engine that the documentation tells are those of the code. */
class PathsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String BASE = "io/reactivetransfer/";
  private static final Pattern ROW = Pattern.compile("\\| `([\\w/]+)\\.java` \\| (\\w*) ?\\|.*");

  /** One line of a table. */
  record Row(String file, String how) {

    List<JavaClass> classes() {
      String name = (BASE + file).replace('/', '.');
      return Production.CLASSES.stream()
          .filter(each -> each.getName().equals(name) || each.getName().startsWith(name + "$"))
          .toList();
    }

    /** Whether it knows the other one, or an interface of it. */
    boolean knows(Row other) {
      List<JavaClass> others = other.classes();
      return classes().stream()
          .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
          .map(dependency -> dependency.getTargetClass())
          .filter(known -> known.getPackageName().startsWith("io.reactivetransfer"))
          .anyMatch(
              known -> others.stream().anyMatch(each -> each.isAssignableTo(known.getName())));
    }
  }

  static Map<String, List<Row>> tables() throws IOException {
    Map<String, List<Row>> tables = new LinkedHashMap<>();
    boolean within = false;
    List<Row> current = List.of();
    for (String line : Files.readAllLines(ROOT.resolve("docs/architecture.md"))) {
      if (line.startsWith("## ")) {
        within = line.equals("## Four paths");
      } else if (within && line.startsWith("### ")) {
        current = new ArrayList<>();
        tables.put(line.substring(4), current);
      } else if (within && line.startsWith("| `")) {
        Matcher row = ROW.matcher(line);
        assertThat(row.matches()).as(line).isTrue();
        current.add(new Row(row.group(1), row.group(2)));
      }
    }
    return tables;
  }

  static List<List<Row>> paths() throws IOException {
    return List.copyOf(tables().values());
  }

  @Test
  void areFour() throws IOException {
    assertThat(tables()).hasSize(4);
    assertThat(tables().values()).allSatisfy(rows -> assertThat(rows).hasSizeGreaterThan(4));
  }

  @ParameterizedTest
  @MethodSource("paths")
  void consistOfFilesThatThereAre(List<Row> path) {
    Path sources = ROOT.resolve("reactive-transfer/core/src/main/java").resolve(BASE);
    assertThat(path).allSatisfy(row -> assertThat(sources.resolve(row.file + ".java")).exists());
  }

  @ParameterizedTest
  @MethodSource("paths")
  void comeBackToNone(List<Row> path) {
    assertThat(path.stream().map(Row::file)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("paths")
  void leadFromEachToTheNext(List<Row> path) {
    for (int i = 1; i < path.size(); i++) {
      Row before = path.get(i - 1);
      Row row = path.get(i);
      assertThat(row.how).isIn("called", "fetches");
      boolean known = row.how.equals("called") ? before.knows(row) : row.knows(before);
      assertThat(known).as("from %s to %s, %s", before.file, row.file, row.how).isTrue();
    }
  }
}
