package io.reactivetransfer.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Makes a shared library out of C, where there is a compiler. */
final class CLibrary {

  private CLibrary() {}

  /** Compiles it; skips the test, visibly, where there is no gcc. */
  static Path compile(Path directory, String name, String source)
      throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve(name + ".c"), source);
    Path library = directory.resolve("lib" + name + ".so");
    Process gcc;
    try {
      gcc =
          new ProcessBuilder("gcc", "-shared", "-fPIC", "-o", library.toString(), file.toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      String reason = "there is no gcc: " + e.getMessage();
      if (Boolean.getBoolean("reactivetransfer.requireAll")) {
        Assertions.fail(reason);
      }
      return Assumptions.abort(reason);
    }
    String output = new String(gcc.getInputStream().readAllBytes(), UTF_8);
    Assertions.assertEquals(0, gcc.waitFor(), output);
    return library;
  }
}
