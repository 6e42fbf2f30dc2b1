package io.reactivetransfer.examples.kvcache;

import java.util.Random;

/** What becomes of a hand-over at a random moment. */
enum Fate {
  NOTHING,
  /** Decode cancels it. */
  CANCEL,
  /** Prefill's model fails. */
  FAIL,
  /** Prefill cancels what it writes. */
  WITHDRAW,
  /** Prefill's model does not go on, and its process lives. */
  STALL,
  /** Prefill's process is killed. */
  KILL,
  /** Prefill's process is stopped, and goes on when its pages have been given to others. */
  STOP;

  private static final Fate[] LIKELY = {
    NOTHING, CANCEL, CANCEL, FAIL, WITHDRAW, STALL, KILL, KILL, STOP
  };

  static Fate of(Random random) {
    return LIKELY[random.nextInt(LIKELY.length)];
  }

  /** Whether decode's side does it; the others are prefill's. */
  boolean isOfDecode() {
    return this == CANCEL || this == KILL || this == STOP;
  }
}
