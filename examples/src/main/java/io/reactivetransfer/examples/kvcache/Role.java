package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.examples.worker.Worker;
import java.io.IOException;

/** Which side a process is. */
enum Role {
  /** Hands over once, and says how long that took. */
  PREFILL("prefill"),
  /** Receives once, and compares every byte. */
  DECODE("decode"),
  /** Hands over to whoever asks. */
  SERVE("prefill"),
  /** Receives as often and from as many as it is asked to. */
  LOAD("decode"),
  /** Computes what it is asked for, and fails where that says so. */
  COMPUTE("prefill");

  private final String side;

  Role(String side) {
    this.side = side;
  }

  /** What it is called. */
  String side() {
    return side;
  }

  /**
   * Opens what is asked.
   *
   * @param handOvers how many it has memory for at once
   */
  Worker open(Plan plan, int handOvers) throws IOException {
    return switch (this) {
      case SERVE -> ServeWorker.open(plan);
      case LOAD -> LoadWorker.open(plan, handOvers);
      case COMPUTE -> ComputeWorker.open(plan);
      case PREFILL, DECODE -> throw new IllegalStateException(this + " is not asked anything");
    };
  }
}
