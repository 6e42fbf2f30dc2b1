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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What who writes a backend is told to copy is what was compiled, and passes the kit. */
class GuideTest {

  private static final Path PROGRAMS = Path.of("src/test/java/com/example");
  private static final Pattern FILE =
      Pattern.compile("```java\\n(package com\\.example\\.(my\\w+);.*?)```", Pattern.DOTALL);

  /** Without blank lines, comments and imports. */
  private static final int LINES_OF_CODE = 228;

  private static String guide() throws IOException {
    return Files.readString(Path.of("../../docs/writing-a-backend.md"));
  }

  private static List<String> programs(String name) throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS.resolve(name))) {
      List<String> programs = new ArrayList<>();
      for (Path file : files.toList()) {
        programs.add(Files.readString(file));
      }
      return programs;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mynic", "mydevice"})
  void itsBackendAndItsAccessAreThoseThatAreTested(String name) throws IOException {
    List<String> shown =
        FILE.matcher(guide())
            .results()
            .filter(found -> found.group(2).equals(name))
            .map((MatchResult found) -> found.group(1))
            .toList();
    assertThat(shown).hasSize(3).containsExactlyInAnyOrderElementsOf(programs(name));
  }

  @Test
  void itsBackendIsAsSmallAsItSays() throws IOException {
    long lines =
        programs("mynic").stream()
            .flatMap(String::lines)
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.matches("(?s)(import|package|//|/\\*|\\*).*"))
            .count();
    assertThat(lines).isEqualTo(LINES_OF_CODE);
    assertThat(guide()).contains("complete: " + LINES_OF_CODE + " lines of code");
  }
}
