package io.reactivetransfer.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.tck.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fake of NVIDIA's driver, as examples/run compiles it. */
public final class FakeCuda {

  private static final Path SOURCES = Path.of("..", "backends", "cuda", "src", "test", "native");

  /** What it was compiled to: for all tests of this JVM the same, and it takes seconds. */
  private static byte @Nullable [] library;

  private FakeCuda() {}

  /** Puts it there, compiled; skips the test where there is no gcc. */
  public static synchronized void compile(Path folder) throws IOException, InterruptedException {
    Path file = folder.resolve("libcuda.so.1");
    if (library == null) {
      compileTo(file);
      library = Files.readAllBytes(file);
    } else {
      Files.write(file, library);
    }
  }

  private static void compileTo(Path file) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("gcc", "-std=gnu11", "-shared", "-fPIC", "-O1", "-pthread"));
    command.addAll(List.of("-fvisibility=hidden", "-Wl,-soname,libcuda.so.1"));
    command.addAll(List.of("-o", file.toString()));
    try (Stream<Path> files = Files.list(SOURCES)) {
      files.map(Path::toString).filter(name -> name.endsWith(".c")).forEach(command::add);
    }
    Process gcc;
    try {
      gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
        fail(e);
      }
      abort("there is no gcc: " + e.getMessage());
      return;
    }
    String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, gcc.waitFor(), output);
  }

  /** A process has it for its driver, with two GPUs. */
  public static void use(Path folder, ProcessBuilder process) {
    process.environment().put("LD_LIBRARY_PATH", folder.toString());
    process.environment().put("FAKECUDA_DEVICES", "2");
  }
}
