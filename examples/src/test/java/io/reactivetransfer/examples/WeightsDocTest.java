package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/weights.md shows is what is compiled, and prints what it says. */
class WeightsDocTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOC = ROOT.resolve("docs/weights.md");
  private static final Path PROGRAMS = Path.of("src/main/java/io/reactivetransfer/examples/first");
  private static final Path SNIPPETS =
      Path.of("src/test/java/io/reactivetransfer/examples/WeightsSnippets.java");

  private static String block(String start) throws IOException {
    Matcher block =
        Pattern.compile("```" + start + "(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  /** All blocks of Java, in their order. */
  private static List<String> java() throws IOException {
    Matcher block =
        Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    return block.results().map(one -> one.group(1)).toList();
  }

  @Test
  void itsProgramsAreThoseThatAreCompiledHere() throws IOException {
    assertThat(java().stream().filter(block -> block.startsWith("package ")))
        .containsExactly(
            Files.readString(PROGRAMS.resolve("FirstPlan.java")),
            Files.readString(PROGRAMS.resolve("FirstUpdate.java")));
    assertThat(Files.readAllLines(PROGRAMS.resolve("FirstUpdate.java"))).hasSizeLessThan(100);
  }

  @Test
  void itsOtherLinesOfJavaAreCompiledHere() throws IOException {
    String compiled = bare(Files.readString(SNIPPETS));
    List<String> blocks = java().stream().filter(block -> !block.startsWith("package ")).toList();
    assertThat(blocks).hasSize(7).allSatisfy(block -> assertThat(compiled).contains(bare(block)));
  }

  /** Without comments, and however it is laid out. */
  private static String bare(String code) {
    return code.replaceAll("//.*", "").replaceAll("\\s+", "");
  }

  @Test
  void itsSecondProgramRunsAndPrintsWhatIsSaid() throws Exception {
    try (JavaProcess program =
        JavaProcess.start("io.reactivetransfer.examples.Main", "first-update")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout().lines()).containsExactly("FLIPPED", "Version 1 begins with 42.");
      assertThat(program.stderr()).isEmpty();
    }
  }

  @Test
  void itsProgramRunsAndPrintsWhatIsShown() throws Exception {
    try (JavaProcess program = JavaProcess.start("io.reactivetransfer.examples.first.FirstPlan")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout())
          .contains(block("\\n(?=trainer-0)"))
          .endsWith("2 steps in 243 bytes.\n");
      assertThat(program.stderr()).isEmpty();
    }
  }
}
