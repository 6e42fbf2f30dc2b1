package io.reactivetransfer.weights.version;

import org.jspecify.annotations.Nullable;

/** Where an update is written, and what becomes of those who read meanwhile. */
public enum UpdateMode {

  /**
   * Into the buffer that nobody reads, while the running version is served. At the flip, leases of
   * the old version go on until they are closed; the next update waits for them before it writes
   * there. Takes twice the memory. A failure leaves the old version as it is.
   */
  TWO_BUFFERS_OUTLIVE(1, false, false),

  /**
   * The same, but the flip waits until all leases of the old version are closed: when it has
   * happened, nobody reads the old one any more.
   */
  TWO_BUFFERS_WAIT(2, false, true),

  /**
   * Into the buffer that runs, after all ranks have stopped and all leases are closed. Takes no
   * more memory. Once anything may have been written, a failure leaves the ranks without a version:
   * they are torn, and serve again after another update.
   */
  IN_PLACE(3, true, true);

  final int code;
  final boolean inPlace;
  final boolean waits;

  UpdateMode(int code, boolean inPlace, boolean waits) {
    this.code = code;
    this.inPlace = inPlace;
    this.waits = waits;
  }

  /** The one with this code; null if there is none. */
  static @Nullable UpdateMode of(int code) {
    for (UpdateMode one : values()) {
      if (one.code == code) {
        return one;
      }
    }
    return null;
  }
}
