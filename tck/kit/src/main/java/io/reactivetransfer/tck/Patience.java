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

  /** Between two looks at something that notifies nobody, and is expected soon. */
  private static final long SOON_NANOS = 50_000;

  /** How long it is looked that often. */
  private static final long IMPATIENT_NANOS = 20_000_000;

  /**
   * Between two looks at something that takes longer, or is to stay as it is: whoever looks has a
   * processor that what is looked at may need.
   */
  private static final long LATER_NANOS = 1_000_000;

  /** What takes longer than this has not so many turns to go, but waits for a time to be over. */
  private static final long TURNING_NANOS = 1_000_000_000;

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
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      long waited = System.nanoTime() - begin;
      if (waited > signal.toNanos()) {
        throw new AssertionError("expected " + what + " within " + signal);
      }
      LockSupport.parkNanos(waited < IMPATIENT_NANOS ? SOON_NANOS : LATER_NANOS);
    }
  }

  /** The same, where the look is what has it become so, such as a turn of a NIC. */
  void turningUntil(String what, BooleanSupplier turn) {
    long begin = System.nanoTime();
    while (!turn.getAsBoolean()) {
      long waited = System.nanoTime() - begin;
      if (waited > signal.toNanos()) {
        throw new AssertionError("expected " + what + " within " + signal);
      }
      LockSupport.parkNanos(waited < TURNING_NANOS ? SOON_NANOS : LATER_NANOS);
    }
  }

  /**
   * Looks again and again, for as long as silence is watched, and when that is over, whether
   * something stays so.
   */
  void throughout(Runnable check) {
    throughout(check, LATER_NANOS);
  }

  /** The same, where the look is what might change it, such as a turn of a NIC: many of those. */
  void turning(Runnable turn) {
    throughout(turn, SOON_NANOS);
  }

  private void throughout(Runnable check, long parkNanos) {
    long deadline = System.nanoTime() + silence.toNanos();
    while (System.nanoTime() - deadline < 0) {
      check.run();
      LockSupport.parkNanos(parkNanos);
    }
    check.run();
  }
}
