package io.reactivetransfer.weights.plan;

/**
 * What both sides say does not fit. The text names the tensor, what was expected and what came.
 *
 * <p>What to do about it: docs/troubleshooting.md, section PlanRefusedException.
 */
public final class PlanRefusedException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String tensor;

  PlanRefusedException(String tensor, String message) {
    super(message);
    this.tensor = tensor;
  }

  /** The name of the tensor that does not fit. */
  public String tensor() {
    return tensor;
  }
}
