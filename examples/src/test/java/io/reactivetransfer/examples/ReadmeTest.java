package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReadmeTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PROGRAM =
      Path.of("src/main/java/io/reactivetransfer/examples/first/FirstWrite.java");

  @Test
  void itsProgramIsTheOneThatIsCompiledHere() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    Matcher block = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL).matcher(readme);
    assertThat(block.find()).isTrue();
    assertThat(block.group(1)).isEqualTo(Files.readString(PROGRAM));
    assertThat(block.find()).isFalse();
  }

  @Test
  void itsProgramRuns() throws Exception {
    try (JavaProcess program = JavaProcess.start("io.reactivetransfer.examples.first.FirstWrite")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout()).isEqualTo("Arrived: One side writes, the other counts.\n");
      assertThat(program.stderr()).isEmpty();
    }
  }
}
