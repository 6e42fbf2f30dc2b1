package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Domain;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Thousands of small writes, each with an immediate of its own, of which none may be missing: one
 * of a thousand is lost by who overwrites a place in a ring, or forgets one when a queue is full.
 */
final class ManyImmediates {

  private static final int COUNT = Boolean.getBoolean(Chapters.ALL) ? 50_000 : 2_000;

  /** So many are waited for together, so that slow NICs have time. */
  private static final int PART = 100;

  private static final int BYTES = 8;

  /** Of those that are missing, so many are named. */
  private static final int NAMED = 10;

  private final Wire wire;
  private int posted;

  private ManyImmediates(Wire wire) {
    this.wire = wire;
  }

  /** Requires each report and each immediate once. */
  static void expectEachOnce(Stage stage) {
    ManyImmediates many = new ManyImmediates(Wire.open(stage, Wire.LENGTH, 0));
    many.writeAll();
    many.wire.throughout(() -> {}); // in which more may come
    many.expectEachOnce();
  }

  private void writeAll() {
    try {
      for (int end = PART; end <= COUNT; end += PART) {
        int all = end;
        wire.until("writes to be taken over", () -> post(all) == all);
        wire.until(
            all + " reports at both ends",
            () -> wire.origin().reported() >= all && wire.target().reported() >= all);
      }
    } catch (AssertionError e) {
      expectEachOnce(); // says which
      throw e;
    }
  }

  /** Posts what is taken over; returns how many of all are. */
  private int post(int end) {
    return wire.origin()
        .call(nic -> {
          while (posted < end && isTaken(nic, posted)) {
            posted++;
          }
          return posted;
        });
  }

  private boolean isTaken(Domain nic, int index) {
    long at = (long) index * BYTES % Wire.LENGTH;
    return nic.post(wire.write(at, at, BYTES, index).withImm(index)).isTaken();
  }

  private void expectEachOnce() {
    expectEachOnce("reports of writes", "written ", wire.origin().reports());
    expectEachOnce("immediates", "imm ", wire.target().reports());
  }

  private void expectEachOnce(String what, String word, List<String> reports) {
    Map<String, Integer> times = new HashMap<>();
    reports.forEach(report -> times.merge(report, 1, Integer::sum));
    int[] missing = IntStream.range(0, posted).filter(i -> !times.containsKey(word + i)).toArray();
    List<String> others =
        times.entrySet().stream()
            .filter(report -> report.getValue() > 1 || !isOfOne(word, report.getKey()))
            .map(report -> report.getValue() + " times " + report.getKey())
            .sorted()
            .limit(NAMED)
            .toList();
    if (missing.length > 0 || !others.isEmpty()) {
      throw new AssertionError(
          "expected %s of 0 to %s once each, got %s missing, as %s, and moreover %s"
              .formatted(
                  what,
                  posted - 1,
                  missing.length,
                  Arrays.toString(Arrays.copyOf(missing, Math.min(NAMED, missing.length))),
                  others));
    }
  }

  private boolean isOfOne(String word, String report) {
    if (!report.startsWith(word)) {
      return false;
    }
    long number = Long.parseLong(report.substring(word.length()));
    return number >= 0 && number < posted;
  }
}
