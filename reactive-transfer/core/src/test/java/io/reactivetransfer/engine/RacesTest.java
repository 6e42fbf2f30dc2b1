package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Has jcstress run all races, in processes of its own, for a tenth of a second each, or longer:
 * {@code -Drace.seconds=30}.
 */
class RacesTest {

  private static final double SECONDS =
      Double.parseDouble(System.getProperty("reactivetransfer.races.seconds", "0.1"));

  @TempDir private Path directory;

  @Test
  @Timeout(600)
  void endAsTheyMust() throws IOException, InterruptedException {
    Path log = directory.resolve("log");
    Process jcstress =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                // one kind of virtual machine instead of all, and not too many engines at a time
                "-jvmArgs",
                "-XX:+UseParallelGC",
                // otherwise it has all processors busy for half a minute to count them
                "-c",
                String.valueOf(Runtime.getRuntime().availableProcessors()),
                // a small heap, of which only what is used is touched
                "-hs",
                "64",
                "-pth",
                "false",
                "-sc",
                "false",
                "-af",
                "NONE",
                "-f",
                "1",
                "-iters",
                "1",
                "-time",
                String.valueOf(Math.round(1_000 * SECONDS)),
                "-strideSize",
                "16",
                "-strideCount",
                "8",
                "-r",
                directory.resolve("report").toString(),
                "-t",
                "io.reactivetransfer.engine")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(jcstress.waitFor(9, TimeUnit.MINUTES)).as("ended within 9 minutes").isTrue();
    } finally {
      jcstress.destroyForcibly();
    }
    String output = Files.readString(log);
    assertThat(output).as("what jcstress says").contains("RUN RESULTS");
    assertThat(output).contains("Failed tests: No matches.", "Error tests: No matches.");
    assertThat(jcstress.exitValue()).as("exit code; it said %n%s", output).isZero();
  }
}
