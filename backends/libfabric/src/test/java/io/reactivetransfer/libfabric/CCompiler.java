package io.reactivetransfer.libfabric;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Compiles C where there is a compiler; what needs one is skipped, visibly, where there is none.
 */
public final class CCompiler {

  private static final String HEADER = "rdma/fabric.h";

  private CCompiler() {}

  /** A shared library. */
  static Path library(Path directory, String name, String source)
      throws IOException, InterruptedException {
    return compile(
        directory, name, source, directory.resolve("lib" + name + ".so"), "-shared", "-fPIC");
  }

  /** A program, which may include the headers of libfabric. */
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
    if (gcc.waitFor() != 0 && output.contains(HEADER + ": No such file")) {
      return missing("there are no headers of libfabric: install libfabric-dev");
    }
    Assertions.assertEquals(0, gcc.exitValue(), output);
    return made;
  }

  private static Path missing(String reason) {
    if (Boolean.getBoolean("reactivetransfer.requireAll")) {
      Assertions.fail(reason);
    }
    return Assumptions.abort(reason);
  }
}
