package io.reactivetransfer.examples.moe;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The CPU time of the compilers of this process, whose threads no Java program is told of. Linux
 * says it of each thread; elsewhere it counts as none.
 */
final class CompilerTime {

  private final Path threads;

  /**
   * The most that was seen of each thread; the virtual machine ends those that it needs no more.
   */
  private final Map<String, Long> nanos = new HashMap<>();

  /** That of this process. */
  CompilerTime() {
    this(Path.of("/proc/self/task"));
  }

  /** Of what lies where the system lists threads. */
  CompilerTime(Path threads) {
    this.threads = threads;
  }

  /** Nanoseconds since the process has begun, as far as compilers were there when it was asked. */
  synchronized long nanos() {
    if (Files.isDirectory(threads)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
        for (Path thread : all) {
          look(thread);
        }
      } catch (IOException | DirectoryIteratorException e) {
        // Then it is what was seen before.
      }
    }
    return nanos.values().stream().mapToLong(Long::longValue).sum();
  }

  private void look(Path thread) {
    try {
      // The system cuts names to 15 characters.
      if (Files.readString(thread.resolve("comm")).matches("C[12] CompilerThre\\R?")) {
        String[] words = Files.readString(thread.resolve("schedstat")).split(" ", 2);
        // The system uses ids again, and what their threads before have taken is taken.
        nanos.merge(thread.getFileName().toString(), Long.parseLong(words[0]), Math::max);
      }
    } catch (IOException | NumberFormatException e) {
      // It has ended meanwhile.
    }
  }
}
