package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Elements of a tensor that the same ranks have.
 *
 * @param box which elements
 * @param holdings who has them, by the number of the rank; each rank once, at least one
 */
record Cell(Box box, List<Holding> holdings) {

  /** What a rank has of them, or null. */
  @Nullable Holding of(int rank) {
    for (Holding holding : holdings) {
      if (holding.rank() == rank) {
        return holding;
      }
    }
    return null;
  }
}
