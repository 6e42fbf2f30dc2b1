package io.reactivetransfer.tck;

import static java.util.stream.Collectors.toUnmodifiableSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What this process holds.
 *
 * @param files descriptors
 * @param mappings ranges of memory
 * @param mappedFiles ranges of memory that are of a file, be it deleted
 * @param threads of the system
 * @param named files with a name that are open or mapped
 */
record Footprint(long files, long mappings, long mappedFiles, long threads, Set<Path> named) {

  private static final Path PROCESS = Path.of("/proc/self");

  static boolean canBeTaken() {
    return Files.isDirectory(PROCESS.resolve("fd"));
  }

  static Footprint now() {
    try (Stream<Path> threads = Files.list(PROCESS.resolve("task"))) {
      List<String> ranges = mappedRanges();
      return new Footprint(
          descriptors().size(),
          ranges.size(),
          ranges.stream().filter(Footprint::isOfFile).count(),
          threads.count(),
          openFiles());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Files with a name that are open or mapped just now. */
  static Set<Path> openFiles() {
    Stream<String> mapped =
        mappedRanges().stream()
            .filter(Footprint::isOfFile)
            .map(line -> line.substring(line.indexOf('/')));
    return Stream.concat(descriptors().stream().map(Footprint::nameOf), mapped)
        .filter(name -> name.startsWith("/") && !name.startsWith("/dev/null"))
        .map(Path::of)
        .filter(Files::isRegularFile)
        .collect(toUnmodifiableSet());
  }

  private static boolean isOfFile(String range) {
    return range.indexOf('/') >= 0;
  }

  private static List<Path> descriptors() {
    try (Stream<Path> descriptors = Files.list(PROCESS.resolve("fd"))) {
      return descriptors.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String nameOf(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed by now
    }
  }

  private static List<String> mappedRanges() {
    try (Stream<String> mappings = Files.lines(PROCESS.resolve("maps"))) {
      return mappings.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What has become more by one or more with each of so many uses; empty if nothing has. Less is
   * what something else in this process does.
   *
   * @param used files that were open meanwhile and not before
   */
  String leftSince(Footprint before, Set<Path> used, int uses) {
    StringBuilder left = new StringBuilder();
    // A thread that has ended may leave its stack, so a mapping of no file for each says nothing.
    if (files - before.files >= uses
        || mappings - before.mappings >= 2L * uses
        || mappedFiles - before.mappedFiles >= uses
        || threads - before.threads >= uses) {
      left.append(
          "%d more open files, %d more mappings, %d of them of files, %d more threads. "
              .formatted(
                  files - before.files,
                  mappings - before.mappings,
                  mappedFiles - before.mappedFiles,
                  threads - before.threads));
    }
    List<Path> names = used.stream().filter(Files::exists).sorted().toList();
    if (names.size() >= uses) {
      left.append("%d files that were in use, as %s".formatted(names.size(), names.getFirst()));
    }
    return left.toString();
  }
}
