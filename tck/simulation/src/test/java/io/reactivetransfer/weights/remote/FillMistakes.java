package io.reactivetransfer.weights.remote;

import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsRank;

/** Inference ranks that fill others wrongly. */
public final class FillMistakes {

  private FillMistakes() {}

  /** It gives its lease back before it reads. */
  public static TrainerService withoutLease(
      WeightsRank rank, RoutingTable table, RunOptions options) {
    ServedRuns runs =
        new ServedRuns(
            rank,
            () -> {
              VersionLease lease = rank.lease();
              lease.close();
              return lease;
            },
            table,
            options);
    return new TrainerService(rank.engine(), runs, options.timers()).listening(rank.engine());
  }
}
