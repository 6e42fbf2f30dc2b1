package io.reactivetransfer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The paths through the engine that the documentation tells are those of the code. */
abstract class PathsRules {

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

    /**
     * Whether a method of it calls one of the other, or of an interface that the other implements,
     * makes one, or hands on a reference to such a method.
     */
    boolean calls(Row other) {
      List<JavaClass> others = other.classes();
      return classes().stream()
          .flatMap(Row::accesses)
          .map(JavaAccess::getTargetOwner)
          .filter(called -> called.getPackageName().startsWith("io.reactivetransfer"))
          .anyMatch(
              called -> others.stream().anyMatch(each -> each.isAssignableTo(called.getName())));
    }

    /**
     * Whether it is an interface whose implementations are given the other one: so a NIC reports to
     * who polls it.
     */
    boolean isGiven(Row other) {
      List<JavaClass> others = other.classes();
      return classes().stream()
          .filter(JavaClass::isInterface)
          .flatMap(each -> each.getMethods().stream())
          .flatMap(method -> method.getRawParameterTypes().stream())
          .filter(given -> given.getPackageName().startsWith("io.reactivetransfer"))
          .anyMatch(
              given -> others.stream().anyMatch(each -> each.isAssignableTo(given.getName())));
    }

    /** Whether it has the other one, for those who call that. */
    boolean holds(Row other) {
      List<JavaClass> others = other.classes();
      return classes().stream()
          .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
          .anyMatch(dependency -> others.contains(dependency.getTargetClass()));
    }

    boolean isCalledBy(Row other) {
      return other.calls(this);
    }

    private static Stream<JavaAccess<?>> accesses(JavaClass from) {
      return Stream.concat(
          from.getCodeUnitCallsFromSelf().stream(), from.getCodeUnitReferencesFromSelf().stream());
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
    assertThat(path)
        .allSatisfy(row -> {
          assertThat(sources.resolve(row.file + ".java")).exists();
          assertThat(row.classes()).as("classes of %s", row.file).isNotEmpty();
        });
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
      assertThat(row.how).isIn("called", "fetches", "held");
      boolean leads =
          switch (row.how) {
            case "called" -> before.calls(row) || before.isGiven(row);
            case "fetches" -> row.calls(before);
            default ->
                before.holds(row) && path.subList(0, i - 1).stream().anyMatch(row::isCalledBy);
          };
      assertThat(leads).as("from %s to %s, %s", before.file, row.file, row.how).isTrue();
    }
  }
}
