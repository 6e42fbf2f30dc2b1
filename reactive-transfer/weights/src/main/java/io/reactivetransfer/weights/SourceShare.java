package io.reactivetransfer.weights;

import java.util.List;

/**
 * What one rank of the trainer holds of a tensor.
 *
 * @param tensor the whole of it, said alike by all ranks
 * @param group the mesh group, said alike by all ranks: groups are sent one after the other where
 *     the trainer's own collectives need that
 * @param pieces what this rank holds, at least one; they share no element
 */
public record SourceShare(Tensor tensor, String group, List<Piece> pieces) {

  /** Checks that the pieces are of the tensor. */
  public SourceShare {
    Names.require("mesh group", group);
    pieces = Pieces.checked(tensor, pieces);
  }
}
