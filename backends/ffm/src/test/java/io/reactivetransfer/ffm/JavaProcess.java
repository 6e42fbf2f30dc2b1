package io.reactivetransfer.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs a main class of the tests in a JVM of its own. */
final class JavaProcess {

  /** What it came to. */
  record Result(int exitCode, List<String> lines) {}

  private JavaProcess() {}

  static Result run(Path directory, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder().directory(directory.toFile());
    builder
        .command()
        .addAll(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:-CreateCoredumpOnCrash",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    builder.command().addAll(List.of(arguments));
    Process jvm = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(jvm.getInputStream().readAllBytes(), UTF_8);
    return new Result(jvm.waitFor(), output.lines().toList());
  }
}
