package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import java.util.Arrays;

/** Of each byte of each inference rank, the mesh group whose steps write it. */
final class Groups {

  /** Where nothing is written. */
  static final int NONE = -1;

  private final int count;

  /** By rank, region and byte. */
  private final int[][][] groups;

  Groups(RoutingTable table) {
    count = table.groups().size();
    groups =
        table.targets().stream()
            .map(target ->
                target.regions().stream()
                    .map(region -> new int[Math.toIntExact(region.bytes())])
                    .toArray(int[][]::new))
            .toArray(int[][][]::new);
    for (int[][] regions : groups) {
      for (int[] bytes : regions) {
        Arrays.fill(bytes, NONE);
      }
    }
    for (int source = 0; source < table.sources().size(); source++) {
      for (Step step : table.steps(source)) {
        if (!(step instanceof Step.Gather)) {
          enter(step.runs(), table.tensors().get(step.tensor()).group());
        }
      }
    }
  }

  private void enter(Runs runs, int group) {
    for (int run = 0; run < runs.size(); run++) {
      for (int rank : runs.targetRanks(run)) {
        int[] bytes = groups[rank][runs.targetRegion(run)];
        for (int row = 0; row < runs.rows(run); row++) {
          int from = Math.toIntExact(runs.targetOffset(run) + row * runs.targetStride(run));
          Arrays.fill(bytes, from, from + Math.toIntExact(runs.rowBytes(run)), group);
        }
      }
    }
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /** Of each region of an inference rank, each byte. */
  int[][] of(int rank) {
    return groups[rank];
  }
}
