package io.reactivetransfer.examples.weights;

import io.reactivetransfer.weights.version.UpdateMode;
import java.util.Locale;

/** Where an update is written, and what becomes of those who read meanwhile. */
enum Mode {
  OUTLIVE(UpdateMode.TWO_BUFFERS_OUTLIVE, 2),
  WAIT(UpdateMode.TWO_BUFFERS_WAIT, 2),
  IN_PLACE(UpdateMode.IN_PLACE, 1);

  final UpdateMode mode;
  final int buffers;

  Mode(UpdateMode mode, int buffers) {
    this.mode = mode;
    this.buffers = buffers;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
