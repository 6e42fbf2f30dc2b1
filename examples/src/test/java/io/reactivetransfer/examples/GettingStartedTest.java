package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What docs/getting-started.md shows runs in two processes: the origins in this one, or each night
 * in one of their own.
 */
class GettingStartedTest {

  private static final Path DOC = Path.of("../docs/getting-started.md");
  private static final Path PROGRAMS = Path.of("src/main/java/io/reactivetransfer/examples/first");
  private static final List<String> NAMES =
      List.of("FirstTarget", "FirstOrigin", "StreamTarget", "StreamOrigin");
  private static final int PARTS = 20;

  @TempDir private Path folder;
  private String secret;

  @BeforeEach
  void makeTheSecret() throws IOException {
    secret = Files.writeString(folder.resolve("secret"), "c0ffee".repeat(10) + "\n").toString();
  }

  private JavaProcess target(String name) throws IOException {
    return JavaProcess.start("io.reactivetransfer.examples.Main", name, "127.0.0.1", "0", secret);
  }

  private static ExampleRun origin(String name, String address, String secret) throws Exception {
    return ExampleRun.over("tcp", name, "127.0.0.1", address, secret);
  }

  private static String address(JavaProcess target) throws Exception {
    return target.awaitLine("^Listening at (\\S+)$").group(1);
  }

  private static void assertEndsWell(ExampleRun program) {
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stderr()).isEmpty();
  }

  private static void assertEndsWell(JavaProcess program) throws Exception {
    assertThat(program.exitCode()).as(program::stderr).isZero();
    assertThat(program.stderr()).isEmpty();
  }

  @Test
  void itsProgramsAreShort() throws IOException {
    for (String name : NAMES) {
      assertThat(Files.readAllLines(PROGRAMS.resolve(name + ".java"))).hasSizeLessThan(100);
    }
  }

  @Test
  void itsBuildNamesTheVersionOfThisOne() throws IOException {
    Matcher shown =
        Pattern.compile("<version>[^<]*</version>(?=\\s*<type>pom</type>)")
            .matcher(Files.readString(DOC));
    assertThat(shown.find()).isTrue();
    assertThat(Files.readString(Path.of("pom.xml"))).contains(shown.group());
  }

  @Test
  void oneWriteArrivesInAnotherProcessAndWhoHasAnotherSecretIsToldSo() throws Exception {
    Path other = Files.writeString(folder.resolve("other"), "decaf".repeat(10) + "\n");
    try (JavaProcess target = target("first-target")) {
      String address = address(target);
      ExampleRun stranger = origin("first-origin", address, other.toString());
      assertThat(stranger.code()).as(stranger::toString).isEqualTo(1);
      assertThat(stranger.stderr()).contains("secret").hasLineCount(1);
      ExampleRun origin = origin("first-origin", address, secret);
      assertEndsWell(origin);
      assertEndsWell(target);
      assertThat(origin.stdout()).isEqualTo("The write is done.\n");
      assertThat(target.stdout()).endsWith("\nArrived: One side writes, the other counts.\n");
      assertThat(Files.readString(DOC))
          .contains("```\n" + origin.stdout() + "```")
          .contains("Arrived: One side writes, the other counts.\n```");
    }
  }

  @Test
  void aStreamOfPartsGoesThroughFourSlots() throws Exception {
    try (JavaProcess target = target("stream-target")) {
      ExampleRun origin = origin("stream-origin", address(target), secret);
      assertEndsWell(origin);
      assertEndsWell(target);
      assertThat(target.stdout().lines().skip(1).map(line -> line.replaceAll(" in slot.*", "")))
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, PARTS).mapToObj(part -> "Used part " + part).toList());
      assertThat(origin.stdout().lines().map(line -> line.replaceAll(" goes to slot.*", "")))
          .containsExactlyElementsOf(
              IntStream.rangeClosed(0, PARTS)
                  .mapToObj(part -> part < PARTS ? "Part " + part : PARTS + " parts are written.")
                  .toList());
    }
  }
}
