package io.reactivetransfer.cuda.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * JCuda's own native library, on a driver that is loaded already. JCuda puts it into {@code
 * java.io.tmpdir}, by a name that is the same for all users of a machine, and takes what is there
 * already: so this is a folder of our own meanwhile.
 */
final class JCudaLibrary {

  private static final String TEMPORARY = "java.io.tmpdir";

  private JCudaLibrary() {}

  static synchronized void load() {
    String before = System.getProperty(TEMPORARY);
    try {
      Path own = Files.createTempDirectory("reactive-transfer-jcuda");
      System.setProperty(TEMPORARY, own.toString());
      try {
        Class.forName("jcuda.driver.JCudaDriver");
      } finally {
        System.setProperty(TEMPORARY, before);
        delete(own);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
