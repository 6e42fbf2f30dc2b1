package io.reactivetransfer.weights.version;

/**
 * A rank gives no leases now; {@link #state()} says why.
 *
 * <p>What to do about it: docs/troubleshooting.md, section NotServingException.
 */
public final class NotServingException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final RankState state;

  NotServingException(String rank, RankState state) {
    super("expected rank " + rank + " to serve a version, got " + text(state));
    this.state = state;
  }

  private static String text(RankState state) {
    return switch (state) {
      case EMPTY -> "one that has had none yet";
      case SERVING -> "one that began to serve just now";
      case PAUSED -> "one that waits until an update is over";
      case UNDECIDED -> "one that has voted for an update and does not know the decision";
      case TORN -> "one that is torn: what it has may be a mixture until another update";
      case CLOSED -> "one that was closed";
    };
  }

  /** Why. */
  public RankState state() {
    return state;
  }
}
