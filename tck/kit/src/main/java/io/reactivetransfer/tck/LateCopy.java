package io.reactivetransfer.tck;

import io.reactivetransfer.spi.BackendException;

/**
 * A copy that was begun and not made.
 *
 * @param buffer which is told if it fails
 * @param work makes it
 */
record LateCopy(LateBuffer buffer, Runnable work) {

  void run() {
    try {
      work.run();
    } catch (BackendException e) {
      buffer.fail(e);
    }
  }
}
