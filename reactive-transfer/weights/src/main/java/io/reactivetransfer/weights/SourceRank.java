package io.reactivetransfer.weights;

import java.util.List;

/**
 * What one rank of the trainer says of itself.
 *
 * @param rank who it is
 * @param tensors what it holds, each tensor once; others than the inference engine needs do no harm
 */
public record SourceRank(Rank rank, List<SourceShare> tensors) {

  /** Checks that all lies in the memory of the rank. */
  public SourceRank {
    tensors = List.copyOf(tensors);
    if (tensors.stream().map(share -> share.tensor().name()).distinct().count() < tensors.size()) {
      throw new IllegalArgumentException(
          "expected each tensor of rank " + rank.name() + " once; several pieces are one share");
    }
    tensors.forEach(share -> rank.requireHolds(share.tensor(), share.pieces()));
  }
}
