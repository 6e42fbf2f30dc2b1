package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/moe.md shows is what is compiled, and prints what it says. */
class MoeDocTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOC = ROOT.resolve("docs/moe.md");
  private static final Path PROGRAM =
      Path.of("src/main/java/io/reactivetransfer/examples/first/FirstExperts.java");

  private static String block(String start) throws IOException {
    Matcher block =
        Pattern.compile("```" + start + "(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void itsProgramIsTheOneThatIsCompiledHere() throws IOException {
    assertThat(block("java\\n")).isEqualTo(Files.readString(PROGRAM));
  }

  @Test
  void itsProgramRunsAndPrintsWhatIsShown() throws Exception {
    try (JavaProcess program =
        JavaProcess.start("io.reactivetransfer.examples.first.FirstExperts")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout().lines())
          .containsExactlyInAnyOrderElementsOf(block("\\n(?=The sum)").lines().toList());
      assertThat(program.stderr()).isEmpty();
    }
  }
}
