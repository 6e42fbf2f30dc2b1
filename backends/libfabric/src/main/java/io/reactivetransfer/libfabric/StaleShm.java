package io.reactivetransfer.libfabric;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * The shared memory that provider shm leaves behind when a process is killed, 1 to 17 MB for each
 * endpoint. Its files are named after the process; those of processes that are gone are deleted.
 */
final class StaleShm {

  private static final Logger LOG = Loggers.getLogger(StaleShm.class);

  private static final Path FOLDER = Path.of("/dev/shm");

  /** Process id, user id, and what tells the endpoints of a process apart. */
  private static final Pattern NAME = Pattern.compile("(\\d{1,9}):\\d+:\\d+(:.*)?");

  private StaleShm() {}

  /** Deletes what nobody can use any more; whatever cannot be deleted stays. */
  static void sweep() {
    sweep(FOLDER);
  }

  static void sweep(Path folder) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          Files.deleteIfExists(file);
          LOG.debug("deleted {}, which a dead process had left behind", file);
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} could not be tidied up: {}", folder, e.toString());
    }
  }
}
