package io.reactivetransfer.moe;

import org.jspecify.annotations.Nullable;

/**
 * The group is over, on all ranks: one was lost, has left, has cancelled a step or given it up, or
 * was late. No transfer of this engine uses memory of the group any more; others may write to the
 * group's own sections until it has closed. Close the group, or {@linkplain MoeGroup#regroup
 * regroup} those that are left.
 *
 * <p>What to do about it: docs/troubleshooting.md, section GroupFailedException.
 */
public final class GroupFailedException extends MoeException {

  private static final long serialVersionUID = 1L;

  GroupFailedException(String message, int rank, @Nullable Throwable cause) {
    super(message, rank, cause);
  }
}
