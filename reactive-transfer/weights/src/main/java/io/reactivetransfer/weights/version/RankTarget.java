package io.reactivetransfer.weights.version;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RegionDescriptor;
import java.util.List;
import java.util.Objects;

/**
 * Where the weights of one inference rank are to be written for one update. Valid for this update
 * only: whatever is written after its end is refused by the memory.
 *
 * @param rank its name
 * @param regions one for each region of its buffer, in that order; the owner is the rank's engine
 * @param imm which each counted write to this rank carries
 * @param arrivals how many counted writes the rank waits for, over all trainers
 */
public record RankTarget(String rank, List<RegionDescriptor> regions, Imm imm, long arrivals) {

  /** Copies the list. */
  public RankTarget {
    Objects.requireNonNull(rank, "rank");
    Objects.requireNonNull(imm, "imm");
    regions = List.copyOf(regions);
  }
}
