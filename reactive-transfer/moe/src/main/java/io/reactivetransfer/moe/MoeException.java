package io.reactivetransfer.moe;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A step of experts did not come about. The subclasses say whether the group goes on.
 *
 * <p>What to do about it: docs/troubleshooting.md, section MoeException.
 */
public abstract sealed class MoeException extends RuntimeException
    permits GroupFailedException, StepRefusedException {

  private static final long serialVersionUID = 1L;

  private final int rank;

  MoeException(String message, int rank, @Nullable Throwable cause) {
    super(message, cause);
    this.rank = rank;
  }

  /** The rank that is the reason, if it is one rank and known. */
  public OptionalInt rank() {
    return rank < 0 ? OptionalInt.empty() : OptionalInt.of(rank);
  }
}
