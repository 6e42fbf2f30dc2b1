package io.reactivetransfer.tck;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The two times that the kit knows.
 *
 * @param signal how long to wait for what must happen
 * @param silence how long to watch that something does not happen
 */
record Patience(Duration signal, Duration silence) {

  /** Between two looks at something that notifies nobody. */
  private static final long LOOK_NANOS = 50_000;

  /** Whether the condition comes true in time; the caller holds the monitor, which is notified. */
  @SuppressWarnings("WaitNotInLoop") // it is in one
  boolean happens(Object monitor, BooleanSupplier condition, Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    while (!condition.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        monitor.wait(left / 1_000_000, (int) (left % 1_000_000));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
    return true;
  }

  /** Waits until something is so that notifies nobody. */
  void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + signal.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("expected " + what + " within " + signal);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Looks again and again, for as long as silence is watched, whether something stays so. */
  void throughout(Runnable check) {
    long deadline = System.nanoTime() + silence.toNanos();
    do {
      check.run();
      LockSupport.parkNanos(LOOK_NANOS);
    } while (System.nanoTime() - deadline < 0);
  }
}
