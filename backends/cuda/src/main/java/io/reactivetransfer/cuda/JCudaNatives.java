package io.reactivetransfer.cuda;

import io.reactivetransfer.spi.Availability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Loads JCuda's native part. By itself, JCuda unpacks it into the folder for temporary files, under
 * a name that anybody can guess, and takes whatever lies there: another user's code, or half of
 * what another process writes just now, at which this one would crash. So while it loads, the
 * folder for temporary files is one of this process only, which is gone afterwards.
 *
 * <p>Where {@code java.library.path} has it, JCuda takes it from there.
 */
final class JCudaNatives {

  private static final Logger LOG = Loggers.getLogger(JCudaNatives.class);
  private static final String FOLDER = "java.io.tmpdir";
  private static final String DRIVER = "jcuda.driver.JCudaDriver";

  private JCudaNatives() {}

  /** Loads it; the driver's library was found before. */
  static synchronized Availability load() {
    try {
      loadFromPrivateFolder();
      return Availability.available();
    } catch (LinkageError e) {
      return Availability.unavailable(
          "JCuda's native part cannot be loaded: " + firstLine(e),
          "it exists for Linux and Windows on x86-64: add org.jcuda:jcuda-natives with the"
              + " classifier linux-x86_64 to the class path, or name its folder in"
              + " java.library.path; and start the JVM with --enable-native-access=ALL-UNNAMED");
    } catch (ClassNotFoundException e) {
      return Availability.unavailable(
          "JCuda is not on the class path: " + e.getMessage(), "add org.jcuda:jcuda");
    } catch (IOException | UncheckedIOException e) {
      return Availability.unavailable(
          "JCuda's native part cannot be unpacked: " + e,
          "make room in "
              + System.getProperty(FOLDER)
              + " for 30 MB, and let this process write"
              + " there; or name a folder that has it in java.library.path");
    }
  }

  private static void loadFromPrivateFolder() throws IOException, ClassNotFoundException {
    Path folder =
        Files.createTempDirectory(
            "reactive-transfer-cuda",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    String before = System.getProperty(FOLDER);
    try {
      System.setProperty(FOLDER, folder.toString());
      Class.forName(DRIVER);
    } finally {
      if (before == null) {
        System.clearProperty(FOLDER);
      } else {
        System.setProperty(FOLDER, before);
      }
      delete(folder);
    }
  }

  /** What is loaded stays mapped, though its file has no name any more. */
  private static void delete(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : List.copyOf(files.toList())) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      LOG.warn("{} cannot be deleted: {}", folder, e.toString());
    }
  }

  private static String firstLine(Throwable e) {
    return e.toString().lines().findFirst().orElse(e.getClass().getName());
  }
}
