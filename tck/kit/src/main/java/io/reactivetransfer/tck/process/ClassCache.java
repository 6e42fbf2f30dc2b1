package io.reactivetransfer.tck.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The classes that the programs of a test load, as a JVM has them when it has loaded and linked
 * them: a program that begins with such a cache needs half the processor time until its engine is
 * open. It is made by one that runs for nothing else, and lies in the folder that the system
 * property {@code reactivetransfer.tck.classes} names. Without that property, or where it is empty,
 * there is none, and programs start as they always did.
 *
 * <p>A JVM takes such a cache for a class path of jars only. So the folders of the class path are
 * made jars beside it, each in its place.
 */
final class ClassCache {

  private static final String FOLDER = "reactivetransfer.tck.classes";
  private static final long TRAINING_SECONDS = 120;

  /** The folder of a cache, and a file in it. */
  private static final Pattern OF_CACHE =
      Pattern.compile("[0-9a-f]{1,8}[/\\\\](cache|lock|unfinished.*|[0-9]+\\.jar)");

  /** Of the class path of this JVM; its folders do not change while tests run. */
  static final ClassCache OF_THIS =
      new ClassCache(System.getProperty(FOLDER), System.getProperty("java.class.path"));

  private final String given;
  private final @Nullable Path folder;
  private final String packed;
  private boolean tried;

  /**
   * Looks at what lies on the class path, and writes nothing yet.
   *
   * @param parent a folder for caches, perhaps not there yet; null or empty for no cache
   * @param classPath of the programs
   */
  ClassCache(@Nullable String parent, String classPath) {
    this.given = classPath;
    // Another name for each state of the classes, or a test would run those of an earlier build.
    this.folder =
        parent == null || parent.isEmpty()
            ? null
            : Path.of(parent, stateOf(classPath)).toAbsolutePath().normalize();
    this.packed = folder == null ? classPath : packed(classPath, folder);
  }

  /** The class path for a program, and the options that belong to it. */
  List<String> options() {
    Path cache = cache();
    return cache == null || !Files.exists(cache)
        ? List.of("-cp", given)
        : List.of(
            "-XX:AOTCache=" + cache,
            // What a JVM says of itself must not get between the lines of the program.
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            "-cp",
            packed);
  }

  /**
   * Makes the cache, unless it is there, or this was tried before. While another JVM is about it,
   * this one waits: a program would only compete with that one, and take longer without the cache.
   *
   * @param program gives the command with these options before its class; must end when there is
   *     nothing on its stdin, and should load all that it needs before
   */
  synchronized void make(Function<List<String>, ProcessBuilder> program) {
    Path cache = cache();
    if (cache == null || folder == null || tried || Files.exists(cache)) {
      return;
    }
    try {
      Files.createDirectories(folder);
      try (FileChannel channel =
              FileChannel.open(
                  folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        tried = lock.isValid();
        if (!Files.exists(cache)) {
          removeOthers(folder);
          pack();
          train(program, cache);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void train(Function<List<String>, ProcessBuilder> program, Path cache)
      throws IOException, InterruptedException {
    Path unfinished = cache.resolveSibling("unfinished");
    Process process =
        program
            .apply(List.of("-XX:AOTCacheOutput=" + unfinished, "-cp", packed))
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    if (!process.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    } else if (Files.exists(unfinished)) {
      Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /**
   * Those of classes as they were before; nobody starts programs with them any more. What else lies
   * in the folder that the property names is somebody's, and stays.
   */
  private static void removeOthers(Path folder) throws IOException {
    Path parent = folder.resolveSibling(".").normalize();
    for (Path file : files(parent)) {
      boolean isOfCache = OF_CACHE.matcher(parent.relativize(file).toString()).matches();
      if (isOfCache && !file.startsWith(folder)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private @Nullable Path cache() {
    return folder == null ? null : folder.resolve("cache");
  }

  private void pack() throws IOException {
    String[] from = given.split(File.pathSeparator, -1);
    String[] to = packed.split(File.pathSeparator, -1);
    for (int i = 0; i < from.length; i++) {
      if (!from[i].equals(to[i])) {
        pack(Path.of(from[i]), Path.of(to[i]));
      }
    }
  }

  private static void pack(Path from, Path to) throws IOException {
    try (OutputStream file = Files.newOutputStream(to);
        ZipOutputStream jar = new ZipOutputStream(file)) {
      jar.setLevel(0);
      for (Path each : files(from)) {
        jar.putNextEntry(new ZipEntry(from.relativize(each).toString()));
        Files.copy(each, jar);
      }
    }
  }

  private static String packed(String classPath, Path folder) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      boolean jar = !Files.isDirectory(Path.of(entry));
      entries.add(jar ? entry : folder.resolve(entries.size() + ".jar").toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  private static String stateOf(String classPath) {
    CRC32 state = new CRC32();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      for (Path file : files(Path.of(entry))) {
        try {
          state.update(
              (file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file))
                  .getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return Long.toHexString(state.getValue());
  }

  /** Those below a folder, or a file itself; none if it is not there. */
  private static List<Path> files(Path path) {
    if (Files.notExists(path)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(path)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
