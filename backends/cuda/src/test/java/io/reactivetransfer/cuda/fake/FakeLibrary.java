package io.reactivetransfer.cuda.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivetransfer.tck.Profile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Compiles the fake. A test that needs it is skipped, visibly, where there is no gcc, or fails
 * where {@link Profile#REQUIRE_ALL} is set.
 */
final class FakeLibrary {

  static final Path SOURCES = Path.of("src", "test", "native").toAbsolutePath();

  private FakeLibrary() {}

  /** Makes a library of the name by which libJCudaDriver asks for it, in a folder of its own. */
  static Path build() {
    try {
      Path directory = Files.createTempDirectory("reactive-transfer-fakecuda");
      directory.toFile().deleteOnExit();
      Path library = directory.resolve("libcuda.so.1");
      library.toFile().deleteOnExit();
      List<String> command = new ArrayList<>(List.of("-shared", "-fPIC", "-O1", "-pthread"));
      command.addAll(List.of("-fvisibility=hidden", "-Wl,-z,defs", "-Wl,-soname,libcuda.so.1"));
      command.addAll(List.of("-o", library.toString()));
      gcc(command);
      return library;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiles all sources with these options; any warning is an error. */
  static void gcc(List<String> options) {
    List<String> command = new ArrayList<>(List.of("gcc", "-std=gnu11", "-Wall", "-Wextra"));
    command.add("-Werror");
    command.addAll(options);
    command.addAll(sources());
    try {
      Process gcc = start(command);
      String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
      Assertions.assertEquals(0, gcc.waitFor(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Process start(List<String> command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      String reason = "there is no gcc, to compile the driver without a GPU: " + e.getMessage();
      if (Boolean.getBoolean(Profile.REQUIRE_ALL)) {
        Assertions.fail(reason);
      }
      return Assumptions.abort(reason);
    }
  }

  private static List<String> sources() {
    try (Stream<Path> files = Files.list(SOURCES)) {
      return files.map(Path::toString).filter(it -> it.endsWith(".c")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
