package io.reactivetransfer.tck.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivetransfer.tck.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Compiles C where there is a compiler. A test that needs what is not there is skipped, visibly, or
 * fails where {@link Profile#REQUIRE_ALL} is set.
 */
public final class CCompiler {

  private static final Pattern NO_HEADER = Pattern.compile("fatal error: (\\S+): No such file");

  private CCompiler() {}

  /**
   * Makes a shared library.
   *
   * @param name of the library, without {@code lib} and {@code .so}
   */
  public static Path library(Path directory, String name, String source)
      throws IOException, InterruptedException {
    Path library = directory.resolve("lib" + name + ".so");
    return compile(directory, name, source, library, "-shared", "-fPIC");
  }

  /** Makes a program; skips the test where a header is not installed. */
  public static Path program(Path directory, String name, String source)
      throws IOException, InterruptedException {
    return compile(directory, name, source, directory.resolve(name));
  }

  private static Path compile(
      Path directory, String name, String source, Path made, String... options)
      throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve(name + ".c"), source);
    List<String> command = new ArrayList<>(List.of("gcc"));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", made.toString(), file.toString()));
    Process gcc;
    try {
      gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return missing("there is no gcc: " + e.getMessage());
    }
    String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
    int code = gcc.waitFor();
    Matcher header = NO_HEADER.matcher(output);
    if (code != 0 && header.find()) {
      return missing("gcc finds no " + header.group(1) + ": install the package that has it");
    }
    Assertions.assertEquals(0, code, output);
    return made;
  }

  private static Path missing(String reason) {
    if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
      Assertions.fail(reason);
    }
    return Assumptions.abort(reason);
  }
}
