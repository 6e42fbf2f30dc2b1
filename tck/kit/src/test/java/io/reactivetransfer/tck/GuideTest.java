package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What who writes a backend is told to copy is what was compiled, and passes the kit. */
class GuideTest {

  private static final Path PROGRAMS = Path.of("src/test/java/com/example/mynic");
  private static final Pattern FILE =
      Pattern.compile("```java\\n(package com\\.example\\.mynic;.*?)```", Pattern.DOTALL);

  /** Without blank lines, comments and imports. */
  private static final int LINES_OF_CODE = 227;

  private static String guide() throws IOException {
    return Files.readString(Path.of("../../docs/writing-a-backend.md"));
  }

  private static List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS)) {
      List<String> programs = new ArrayList<>();
      for (Path file : files.toList()) {
        programs.add(Files.readString(file));
      }
      return programs;
    }
  }

  @Test
  void itsBackendIsTheOneThatIsTested() throws IOException {
    List<String> shown =
        FILE.matcher(guide()).results().map((MatchResult found) -> found.group(1)).toList();
    assertThat(shown).hasSize(3).containsExactlyInAnyOrderElementsOf(programs());
  }

  @Test
  void itsBackendIsAsSmallAsItSays() throws IOException {
    long lines =
        programs().stream()
            .flatMap(String::lines)
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.matches("(?s)(import|package|//|/\\*|\\*).*"))
            .count();
    assertThat(lines).isEqualTo(LINES_OF_CODE);
    assertThat(guide()).contains("complete: " + LINES_OF_CODE + " lines of code");
  }
}
