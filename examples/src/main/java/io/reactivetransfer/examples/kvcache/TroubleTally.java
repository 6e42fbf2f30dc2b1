package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.report.FigureTable;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** What became of the hand-overs of a run, by what was done to them. */
final class TroubleTally {

  private static final class OfFate {
    int count;
    long answeredNanos;
    long backNanos;
    final Map<String, Integer> answers = new TreeMap<>();
  }

  private final Map<Fate, OfFate> fates = new EnumMap<>(Fate.class);

  /**
   * One is over.
   *
   * @param answer how it ended for who had asked
   * @param answeredNanos how long that took, or 0 if it was cancelled
   * @param backNanos how long after that its pages were back
   */
  synchronized void add(Fate fate, String answer, long answeredNanos, long backNanos) {
    OfFate one = fates.computeIfAbsent(fate, any -> new OfFate());
    one.count++;
    one.answeredNanos = Math.max(one.answeredNanos, answeredNanos);
    one.backNanos = Math.max(one.backNanos, backNanos);
    one.answers.merge(answer, 1, Integer::sum);
  }

  /** A line for each. */
  synchronized void into(FigureTable table) {
    fates.forEach((fate, one) ->
        table.line(
            fate.name().toLowerCase(java.util.Locale.ROOT),
            "%d: %s; answered within %d ms, pages back within %d ms after that"
                .formatted(
                    one.count,
                    one.answers,
                    one.answeredNanos / 1_000_000,
                    one.backNanos / 1_000_000)));
  }
}
