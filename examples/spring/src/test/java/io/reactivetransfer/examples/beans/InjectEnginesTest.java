package io.reactivetransfer.examples.beans;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short program with Spring Boot runs, and prints what docs/examples.md says. */
class InjectEnginesTest {

  private static final Path PAGE = Path.of("../../docs/examples.md");

  /** The last cell of its row. Before that line there are those of the log, where one is kept. */
  private static final Pattern PRINTS =
      Pattern.compile("(?m)^\\| \\[InjectEngines\\]\\(.* \\| … `([^`]+)` \\|$");

  private static List<String> prints() throws IOException {
    return PRINTS.matcher(Files.readString(PAGE)).results().map(row -> row.group(1)).toList();
  }

  /** Here only warnings are logged. */
  @Test
  void itPrintsWhatIsSaid() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complaints, true, StandardCharsets.UTF_8));
    try {
      InjectEngines.main(new String[0]);
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
    assertThat(complaints.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .hasSize(1)
        .containsExactlyElementsOf(prints());
  }

  // In a process of its own, as whoever copies it starts it. In a usual build ReadmeTest shows that
  // a program ends by itself.
  @Tag("nightly")
  @Test
  void itEndsByItselfAndHasPrintedNothingElse() throws Exception {
    try (JavaProcess program =
        JavaProcess.start(
            JavaProcess.command(List.of("-XX:+UseSerialGC"), InjectEngines.class.getName()))) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stderr()).isEmpty();
      assertThat(program.stdout().lines()).hasSize(1).containsExactlyElementsOf(prints());
    }
  }
}
