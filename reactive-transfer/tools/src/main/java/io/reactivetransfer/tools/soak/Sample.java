package io.reactivetransfer.tools.soak;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a side has done and what its process holds, by name. What the system does not tell is
 * missing.
 *
 * @param figures by name
 */
record Sample(Map<String, Long> figures) {

  static final String HEAP = "heap";
  static final String RSS = "rss";
  static final String THREADS = "threads";
  static final String FILES = "files";

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  /** Of this process, after what is garbage has gone. */
  @SuppressWarnings("SystemGc") // else it would show when garbage is collected, not what is held
  static Sample now(Tally tally) {
    System.gc();
    Map<String, Long> figures = tally.figures();
    figures.put(HEAP, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    addStatus(figures);
    addFiles(figures);
    return new Sample(figures);
  }

  private static void addStatus(Map<String, Long> figures) {
    try (Stream<String> lines = Files.lines(STATUS)) {
      lines.forEach(line -> {
        String[] parts = line.split("\\s+", -1);
        if (parts[0].equals("VmRSS:")) {
          figures.put(RSS, Long.parseLong(parts[1]) << 10);
        } else if (parts[0].equals("Threads:")) {
          figures.put(THREADS, Long.parseLong(parts[1]));
        }
      });
    } catch (IOException e) {
      // not a Linux: the table shows none
    }
  }

  private static void addFiles(Map<String, Long> figures) {
    try (Stream<Path> files = Files.list(OPEN_FILES)) {
      figures.put(FILES, files.count());
    } catch (IOException e) {
      // the same
    }
  }

  long figure(String name) {
    return figures.getOrDefault(name, 0L);
  }

  String toLine() {
    return figures.entrySet().stream()
        .map(figure -> figure.getKey() + "=" + figure.getValue())
        .collect(Collectors.joining(" "));
  }

  static Sample of(String line) {
    Map<String, Long> figures = new TreeMap<>();
    for (String part : line.split(" ", -1)) {
      int equals = part.indexOf('=');
      figures.put(part.substring(0, equals), Long.parseLong(part.substring(equals + 1)));
    }
    return new Sample(figures);
  }
}
