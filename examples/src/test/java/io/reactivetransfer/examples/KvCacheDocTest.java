package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/kv-cache.md shows is what is compiled and runs. */
class KvCacheDocTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOC = ROOT.resolve("docs/kv-cache.md");
  private static final Path PROGRAM =
      Path.of("src/main/java/io/reactivetransfer/examples/first/FirstHandOver.java");

  @Test
  void itsProgramIsTheOneThatIsCompiledHere() throws IOException {
    Matcher block =
        Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    assertThat(block.find()).isTrue();
    assertThat(block.group(1)).isEqualTo(Files.readString(PROGRAM));
  }

  @Test
  void itsProgramRuns() throws Exception {
    try (JavaProcess program =
        JavaProcess.start("io.reactivetransfer.examples.first.FirstHandOver")) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      assertThat(program.stdout()).isEqualTo("Pages are free again.\nArrived: 20 tokens of 42.\n");
      assertThat(program.stderr()).isEmpty();
    }
  }
}
