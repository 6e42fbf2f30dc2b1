package io.reactivetransfer.tools.perf;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Programs of others that are measured, or help with it. */
final class OnPath {

  private OnPath() {}

  /** The folders that programs are looked for in. */
  static String path() {
    return System.getenv().getOrDefault("PATH", "");
  }

  /** The first of these names that some folder has, or null if none has any. */
  static @Nullable Path find(String path, List<String> names) {
    for (String name : names) {
      for (String folder : path.split(File.pathSeparator, -1)) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program)) {
          return program;
        }
      }
    }
    return null;
  }
}
