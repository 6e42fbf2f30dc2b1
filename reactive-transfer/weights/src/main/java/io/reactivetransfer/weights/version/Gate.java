package io.reactivetransfer.weights.version;

import io.reactivetransfer.Memory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Counts who reads one version, and lets nobody in while it is closed: one atomic addition for each
 * that comes, and one for each that goes. Safe from any thread.
 */
final class Gate {

  private static final long CLOSED = Long.MIN_VALUE;

  final UpdateNumber update;
  final long version;
  final int buffer;
  final List<Memory> regions;
  private final Consumer<Gate> drained;

  /** Readers, and the sign while it is closed. */
  private final AtomicLong word = new AtomicLong();

  /**
   * An open one.
   *
   * @param drained is called whenever nobody may be inside a closed gate any more; may be called
   *     too often
   */
  Gate(
      UpdateNumber update, long version, int buffer, List<Memory> regions, Consumer<Gate> drained) {
    this.update = update;
    this.version = version;
    this.buffer = buffer;
    this.regions = regions;
    this.drained = drained;
  }

  /** Lets a reader in; false if it is closed. */
  boolean enter() {
    if (word.get() < 0) {
      return false;
    }
    if (word.getAndIncrement() >= 0) {
      return true;
    }
    leave(); // it was closed in between
    return false;
  }

  void leave() {
    if (word.decrementAndGet() == CLOSED) {
      drained.accept(this);
    }
  }

  void close() {
    if (word.getAndUpdate(now -> now | CLOSED) == 0) {
      drained.accept(this);
    }
  }

  void reopen() {
    word.updateAndGet(now -> now & ~CLOSED);
  }

  /** How many readers are inside. */
  long readers() {
    return word.get() & ~CLOSED;
  }

  /** Whether it is closed and nobody is inside. */
  boolean isDrained() {
    return word.get() == CLOSED;
  }
}
