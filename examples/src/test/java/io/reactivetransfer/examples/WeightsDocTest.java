package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.first.FirstPlan;
import io.reactivetransfer.examples.first.FirstUpdate;
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
    assertThat(ExampleRun.here(FirstUpdate.class).stdout().lines())
        .containsExactly("FLIPPED", "Version 1 begins with 42.");
  }

  @Test
  void itsProgramRunsAndPrintsWhatIsShown() throws Exception {
    assertThat(ExampleRun.here(FirstPlan.class).stdout())
        .contains(block("\\n(?=trainer-0)"))
        .endsWith("2 steps in 243 bytes.\n");
  }
}
