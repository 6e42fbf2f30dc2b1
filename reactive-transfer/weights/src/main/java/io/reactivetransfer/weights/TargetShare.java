package io.reactivetransfer.weights;

import java.util.List;
import java.util.Objects;

/**
 * What one rank of the inference engine holds of a tensor.
 *
 * @param tensor the whole of it, said alike by all ranks
 * @param content what it is made from, said alike by all ranks
 * @param pieces what this rank holds, at least one; each is written, also if two have the same
 *     elements
 */
public record TargetShare(Tensor tensor, Content content, List<Piece> pieces) {

  /** Checks that the pieces are of the tensor. */
  public TargetShare {
    Objects.requireNonNull(content, "content");
    pieces = Pieces.checked(tensor, pieces);
  }
}
