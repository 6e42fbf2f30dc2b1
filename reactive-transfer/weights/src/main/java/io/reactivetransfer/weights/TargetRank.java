package io.reactivetransfer.weights;

import java.util.List;

/**
 * What one rank of the inference engine says of itself.
 *
 * @param rank who it is
 * @param tensors what it holds, each tensor once; nothing of them shares a byte
 */
public record TargetRank(Rank rank, List<TargetShare> tensors) {

  /** Checks that all lies in the memory of the rank, and apart. */
  public TargetRank {
    tensors = List.copyOf(tensors);
    if (tensors.stream().map(share -> share.tensor().name()).distinct().count() < tensors.size()) {
      throw new IllegalArgumentException(
          "expected each tensor of rank " + rank.name() + " once; several pieces are one share");
    }
    for (int i = 0; i < rank.regions().size(); i++) {
      if (!rank.regions().get(i).isRegistered()) {
        throw new IllegalArgumentException(
            "expected registered memory of target rank " + rank.name() + ", got region " + i);
      }
    }
    tensors.forEach(share -> rank.requireHolds(share.tensor(), share.pieces()));
    new Apart(rank.name(), tensors).require();
  }
}
