package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.Simulation.Result;
import java.util.BitSet;

/** Leaves out acts of a failing run, as long as it goes on failing in the same way. */
final class Shrinker {

  private final SeededRun simulation;
  private final long seed;
  private final BitSet kept = new BitSet();
  private Result smallest;

  private Shrinker(SeededRun simulation, Result failure) {
    this.simulation = simulation;
    this.seed = failure.seed();
    this.smallest = failure;
    kept.set(0, simulation.acts(seed));
  }

  /** The same failure with as few acts as can be. */
  static Result shrink(SeededRun simulation, Result failure) {
    return new Shrinker(simulation, failure).shrink();
  }

  private Result shrink() {
    int acts = kept.length();
    for (int chunk = Math.max(1, acts / 2); chunk > 0; chunk /= 2) {
      for (int from = 0; from < acts; from += chunk) {
        tryWithout(from, Math.min(acts, from + chunk));
      }
    }
    return smallest;
  }

  private void tryWithout(int from, int to) {
    BitSet before = (BitSet) kept.clone();
    kept.clear(from, to);
    if (kept.equals(before)) {
      return;
    }
    Result result = simulation.run(seed, kept::get);
    if (kindOf(result).equals(kindOf(smallest))) {
      smallest = result;
    } else {
      kept.clear();
      kept.or(before);
    }
  }

  /** What was violated, whoever did it. */
  static String kindOf(Result result) {
    String violation = result.violation();
    return violation == null ? "" : violation.replaceAll("-?\\d+", "#");
  }
}
