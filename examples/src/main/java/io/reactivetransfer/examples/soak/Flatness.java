package io.reactivetransfer.examples.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether what one process holds has grown: the least of the last minute must not exceed the
 * most of the second one, the first in which all code is warm, by more than a tolerance.
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

  private final Map<String, Long> most = new TreeMap<>();
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
    }
    for (String name : TOLERANCES.keySet()) {
      long figure = sample.figure(name);
      least.merge(name, figure, Math::min);
      if (minute == 1) {
        most.merge(name, figure, Math::max);
      }
    }
  }

  /** What has grown, or null. */
  @Nullable String growth() {
    List<String> grown = new ArrayList<>();
    if (minute + 1 >= MIN_MINUTES) {
      TOLERANCES.forEach((name, tolerance) -> {
        long base = most.getOrDefault(name, 0L);
        long now = least.getOrDefault(name, 0L);
        if (now > tolerance.limit(base)) {
          grown.add(
              "expected %s of at most %,d after %,d in minute 2, got %,d"
                  .formatted(name, tolerance.limit(base), base, now));
        }
      });
    }
    return grown.isEmpty() ? null : String.join("; ", grown);
  }

  /** For people. */
  static String tolerances() {
    return "flat: against minute 2, heap may grow by 16 MiB and 25 %, RSS by 96 MiB and 15 %,"
        + " threads by 8, files by 16; judged from "
        + MIN_MINUTES
        + " minutes on";
  }
}
