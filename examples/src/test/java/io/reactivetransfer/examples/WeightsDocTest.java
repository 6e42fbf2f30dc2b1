package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/weights.md shows prints what it says. */
class WeightsDocTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOC = ROOT.resolve("docs/weights.md");
  private static final Path SECOND_PROGRAM =
      Path.of("src/main/java/io/reactivetransfer/examples/first/FirstUpdate.java");

  private static String block(String start) throws IOException {
    Matcher block =
        Pattern.compile("```" + start + "(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void itsSecondProgramIsShort() throws IOException {
    assertThat(Files.readAllLines(SECOND_PROGRAM)).hasSizeLessThan(100);
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
