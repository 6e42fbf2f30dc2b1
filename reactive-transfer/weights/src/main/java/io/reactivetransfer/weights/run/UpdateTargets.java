package io.reactivetransfer.weights.run;

import java.util.List;

/**
 * Where one update goes.
 *
 * @param number the number of the update: the same at all ranks of the trainer, and never used for
 *     another one
 * @param targets for each inference rank of the table, in its order; {@link TargetMemory#none()}
 *     for one that gets nothing in this update. What it would get is gathered and prepared all the
 *     same
 */
public record UpdateTargets(long number, List<TargetMemory> targets) {

  /** Keeps the list as it is. */
  public UpdateTargets {
    targets = List.copyOf(targets);
  }
}
