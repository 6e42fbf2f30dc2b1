package io.reactivetransfer.moe;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which names and memory the joins and groups of a node have, each of them once. Safe from any
 * thread.
 */
final class Claims {

  private final List<Claim> held = new ArrayList<>();

  /**
   * Takes it if nobody else has any of it.
   *
   * @return null if it has; or one to wait for, whose join was cancelled: nobody else is told when
   *     that is given back
   * @throws IllegalStateException if another has some of it
   */
  synchronized @Nullable Claim take(Claim wanted) {
    Claim ending = null;
    for (Claim other : held) {
      String problem = other.problem(wanted);
      if (problem != null && !other.isCancelled()) {
        throw new IllegalStateException(problem);
      }
      ending = problem == null ? ending : other;
    }
    if (ending == null) {
      held.add(wanted);
    }
    return ending;
  }

  /** Nothing of it is left. */
  void release(Claim claim) {
    synchronized (this) {
      held.remove(claim);
    }
    claim.release();
  }
}
