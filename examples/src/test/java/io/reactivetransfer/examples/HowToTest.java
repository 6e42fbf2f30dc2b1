package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.ExamplesPage.Row;
import io.reactivetransfer.fuzz.TestPki;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What docs/examples.md lists is what there is, runs, and prints what is said there. */
class HowToTest {

  /**
   * Those that wait for each other run in processes of their own, in {@link GettingStartedTest}.
   */
  private static final Set<String> PAIRS =
      Set.of("FirstTarget", "FirstOrigin", "StreamTarget", "StreamOrigin");

  /** Spring Boot's bill of materials: ours has no versions of others. */
  private static final String SPRING = "spring-boot-dependencies";

  static List<Row> rows() throws IOException {
    return ExamplesPage.rows();
  }

  /** Those that use a GPU run in processes of their own, too, in {@link HowToOnGpuTest}. */
  static Stream<Row> runnable() throws IOException {
    return rows().stream()
        .filter(row -> !PAIRS.contains(row.name()) && row.withoutGpu().isEmpty())
        .filter(row -> !row.isElsewhere());
  }

  @Test
  void thePageListsEachProgramAndNoOther() throws IOException {
    try (Stream<Path> howTo = Files.list(ExamplesPage.SOURCES.resolve("howto"));
        Stream<Path> first = Files.list(ExamplesPage.SOURCES.resolve("first"));
        Stream<Path> beans = Files.list(ExamplesPage.WITH_SPRING.resolve("beans"))) {
      assertThat(rows().stream().map(Row::file))
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(howTo, first, beans)
                  .flatMap(files -> files)
                  .filter(file -> !file.endsWith("package-info.java"))
                  .map(file -> file.toAbsolutePath().normalize())
                  .toList());
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itIsShort(Row row) throws IOException {
    assertThat(Files.readAllLines(row.file())).hasSizeLessThan(100);
    assertThat(row.file().getFileName()).hasToString(row.name() + ".java");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void itNeedsWhatItImports(Row row) throws IOException {
    String source = Files.readString(row.file());
    for (String library : List.of("kv-cache", "weights", "moe", "micrometer", "cuda")) {
      String imported = "import io.reactivetransfer." + library.replace("-", "") + ".";
      assertThat(row.needs().contains("reactive-transfer-" + library))
          .as(library)
          .isEqualTo(source.contains(imported));
    }
    assertThat(row.needs().containsAll(List.of("reactive-transfer-spring-boot-starter", SPRING)))
        .as("Spring Boot")
        .isEqualTo(source.contains("import org.springframework."));
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void itPrintsWhatIsSaidAndLeavesNoEngineBehind(Row row, @TempDir Path folder) throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    List<String> printed = run(row, arguments(row, folder));
    if (row.printsMore()) {
      assertThat(printed).containsAll(row.prints());
    } else if (row.isHowTo()) {
      assertThat(printed).isEqualTo(row.prints());
    } else {
      assertThat(printed).containsExactlyInAnyOrderElementsOf(row.prints());
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .noneMatch(thread -> thread.getName().startsWith("transfer-")));
  }

  private static String[] arguments(Row row, Path folder) throws IOException {
    if (!row.name().equals("EncryptConnections")) {
      return new String[0];
    }
    Path secret = Files.writeString(folder.resolve("secret"), "c0ffee".repeat(10));
    TestPki.Files files = new TestPki().filesFor("127.0.0.1");
    return Stream.of(secret, files.certificates(), files.key(), files.trusted())
        .map(Path::toString)
        .toArray(String[]::new);
  }

  private static List<String> run(Row row, String... arguments) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      if (row.isHowTo()) {
        runByCommand(row, arguments);
      } else {
        Class.forName(row.className())
            .getMethod("main", String[].class)
            .invoke(null, (Object) arguments);
      }
    } finally {
      System.setOut(stdout);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static void runByCommand(Row row, String... arguments) {
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute(
                Stream.concat(Stream.of("how-to", kebab(row.name())), Stream.of(arguments))
                    .toArray(String[]::new));
    assertThat(code).as(err::toString).isZero();
  }

  @Test
  void theCommandListsThem() throws IOException {
    StringWriter out = new StringWriter();
    assertThat(Main.commandLine().setOut(new PrintWriter(out, true)).execute("how-to")).isZero();
    assertThat(out.toString().lines())
        .containsExactlyInAnyOrderElementsOf(
            rows().stream().filter(Row::isHowTo).map(row -> kebab(row.name())).toList());
  }

  private static String kebab(String name) {
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }
}
