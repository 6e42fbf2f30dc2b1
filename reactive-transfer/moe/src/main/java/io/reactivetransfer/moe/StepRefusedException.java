package io.reactivetransfer.moe;

/**
 * No rank does this step: it would have more tokens for a rank than was agreed, or ranks of one
 * group began it with different tokens. All ranks refuse it, with the same words, and the group
 * goes on: begin another step on the same lane.
 *
 * <p>What to do about it: docs/troubleshooting.md, section StepRefusedException.
 */
public final class StepRefusedException extends MoeException {

  private static final long serialVersionUID = 1L;

  StepRefusedException(String message) {
    super(message, -1, null);
  }
}
