package io.reactivetransfer.tools.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether what one process holds has grown: the least of the last minute must not exceed the
 * most of the beginning, in which all becomes warm, by more than a tolerance. The beginning is a
 * sixth of the run, and two minutes at least: how soon what is kept for use again has been used in
 * every way depends on how fast the machine is.
 */
final class Flatness {

  /** Shorter runs are not judged. */
  static final int MIN_MINUTES = 4;

  private static final Map<String, Tolerance> TOLERANCES =
      new TreeMap<>(
          Map.of(
              Sample.HEAP, new Tolerance(16 << 20, 25),
              Sample.RSS, new Tolerance(96 << 20, 15),
              Sample.THREADS, new Tolerance(8, 0),
              Sample.FILES, new Tolerance(16, 0)));

  /** Of each minute and all before it. */
  private final List<Map<String, Long>> most = new ArrayList<>();

  private final Map<String, Long> least = new TreeMap<>();
  private int minute = -1;

  private record Tolerance(long amount, long percent) {
    long limit(long base) {
      return base + amount + base * percent / 100;
    }
  }

  /** In this minute, the first being 0. */
  void add(int minute, Sample sample) {
    if (minute != this.minute) {
      this.minute = minute;
      least.clear();
      most.add(most.isEmpty() ? new TreeMap<>() : new TreeMap<>(most.getLast()));
    }
    for (String name : TOLERANCES.keySet()) {
      long figure = sample.figure(name);
      least.merge(name, figure, Math::min);
      most.getLast().merge(name, figure, Math::max);
    }
  }

  /** What has grown, or null. */
  @Nullable String growth() {
    List<String> grown = new ArrayList<>();
    int minutes = minute + 1;
    if (minutes >= MIN_MINUTES) {
      int beginning = Math.max(2, minutes / 6);
      Map<String, Long> base = most.get(Math.min(beginning, most.size()) - 1);
      TOLERANCES.forEach((name, tolerance) -> {
        long then = base.getOrDefault(name, 0L);
        long now = least.getOrDefault(name, 0L);
        if (now > tolerance.limit(then)) {
          grown.add(
              "expected %s of at most %,d after %,d in the first %d minutes, got %,d"
                  .formatted(name, tolerance.limit(then), then, beginning, now));
        }
      });
    }
    return grown.isEmpty() ? null : String.join("; ", grown);
  }

  /** For people. */
  static String tolerances() {
    return "flat: against the first sixth (2 minutes at least), heap may grow by 16 MiB and 25 %,"
        + " RSS by 96 MiB and 15 %, threads by 8, files by 16; judged from "
        + MIN_MINUTES
        + " minutes on";
  }
}
