package io.reactivetransfer.weights.version;

import org.jspecify.annotations.Nullable;

/** How far a rank is with an update, in this order. The codes are those of messages. */
enum Phase {

  /** It was never told of it. */
  NEVER(0),

  /** Waits until nobody reads the buffer and nothing old can land in it. */
  PREPARING(1),

  /** The buffer is free. Nobody can write to it. */
  PREPARED(2),

  /** Hands out a key and an immediate. */
  OPENING(3),

  /** Can be written to. */
  OPEN(4),

  /** All bytes are there; ends the key. */
  SEALING(5),

  /** All bytes are there, and nothing can land any more. */
  FILLED(6),

  /** Gives no new leases; waits for those that are open, if they are to be waited for. */
  HOLDING(7),

  /** Has voted: gives no leases until it knows the decision, and does not end this by itself. */
  HELD(8),

  /** Serves it, or has served it. */
  FLIPPED(9),

  /** Has dropped it. */
  ABORTED(10),

  /** It is over, and nobody remembers how. */
  FORGOTTEN(11);

  final int code;

  Phase(int code) {
    this.code = code;
  }

  /** Whether an update in this phase is not over. */
  boolean isPending() {
    return this != NEVER && compareTo(HELD) <= 0;
  }

  /** The one with this code; null if there is none. */
  static @Nullable Phase of(int code) {
    for (Phase one : values()) {
      if (one.code == code) {
        return one;
      }
    }
    return null;
  }
}
