package io.reactivetransfer.weights.version;

import org.jspecify.annotations.Nullable;

/** Whether an inference rank serves, and why not. */
public enum RankState {

  /** Has had no version yet. */
  EMPTY(0),

  /** Gives leases of its version. */
  SERVING(1),

  /** Has a version, and gives no leases until the update that runs is over. */
  PAUSED(2),

  /**
   * Has voted for an update, and does not know the decision: gives no leases until a controller
   * tells it. It never ends this by itself, however long that takes: others may have flipped. If
   * its controller is gone, a {@link WeightsController#recover} by another one decides, which may
   * be {@link UpdateResult.Decision#BLOCKED} itself.
   */
  UNDECIDED(3),

  /** What it has may be a mixture: gives no leases until another update has flipped. */
  TORN(4),

  /** Was closed. */
  CLOSED(5);

  final int code;

  RankState(int code) {
    this.code = code;
  }

  /** The one with this code; null if there is none. */
  static @Nullable RankState of(int code) {
    for (RankState one : values()) {
      if (one.code == code) {
        return one;
      }
    }
    return null;
  }
}
