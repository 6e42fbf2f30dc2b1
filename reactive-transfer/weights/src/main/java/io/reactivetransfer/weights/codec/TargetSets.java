package io.reactivetransfer.weights.codec;

import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sets of ranks that runs of a table go to, each written once, in the order in which runs first
 * name them.
 */
final class TargetSets {

  private static final int SET_BYTES = 2;

  private final List<int[]> sets = new ArrayList<>();
  private final Map<IntBuffer, Integer> indices = new HashMap<>();

  /** How many of them runs have named so far. */
  private int named;

  private TargetSets() {}

  /** Those of a table. */
  static TargetSets of(RoutingTable table) {
    TargetSets sets = new TargetSets();
    for (int source = 0; source < table.sources().size(); source++) {
      for (Step step : table.steps(source)) {
        Runs runs = step.runs();
        for (int run = 0; !(step instanceof Step.Gather) && run < runs.size(); run++) {
          sets.add(runs.targetRanks(run));
        }
      }
    }
    return sets;
  }

  private boolean add(int[] ranks) {
    boolean isNew = indices.putIfAbsent(IntBuffer.wrap(ranks), sets.size()) == null;
    if (isNew) {
      sets.add(ranks);
    }
    return isNew;
  }

  int indexOf(int[] ranks) {
    return indices.getOrDefault(IntBuffer.wrap(ranks), -1);
  }

  /** The first rank of each as it is, then by how much each one is above that before. */
  void write(FormWriter out) {
    out.number(sets.size());
    for (int[] ranks : sets) {
      out.number(ranks.length);
      int before = 0;
      for (int rank : ranks) {
        out.number(rank - before);
        before = rank;
      }
    }
  }

  static TargetSets read(FormReader in) {
    TargetSets sets = new TargetSets();
    int count = in.count("sets of targets", 0, SET_BYTES);
    for (int i = 0; i < count; i++) {
      int[] ranks = new int[in.count("targets", 1, 1)];
      int before = 0;
      for (int j = 0; j < ranks.length; j++) {
        before += in.number("target", j == 0 ? 0 : 1, Runs.MAX_RANKS - 1 - before);
        ranks[j] = before;
      }
      if (!sets.add(ranks)) {
        throw in.bad("each set of targets once", "one of " + ranks.length + " again");
      }
    }
    return sets;
  }

  /** The set that the next run names. */
  int[] next(FormReader in) {
    int index = in.number("set of targets", 0, Math.min(sets.size() - 1, named));
    named += index == named ? 1 : 0;
    return sets.get(index);
  }

  /** Refuses sets that no run has named. */
  void requireUsed(FormReader in) {
    if (named < sets.size()) {
      throw in.bad("runs for all " + sets.size() + " sets of targets", "runs for " + named);
    }
  }
}
