package io.reactivetransfer.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * For how long a thread waits for anything but a processor, by what Linux counts: so a machine that
 * has a lot else to do is not taken for a thread that blocks.
 */
final class BlockedTime {

  /** Nanoseconds on a processor, and of waiting for one, of the thread that reads it. */
  private static final Path COUNTS = Path.of("/proc/thread-self/schedstat");

  private BlockedTime() {}

  static boolean canBeTaken() {
    return wantedNanos() > 0;
  }

  /**
   * In nanoseconds, of the thread that calls this; good to some milliseconds. 0 if it cannot be
   * taken.
   */
  static long nanosOf(Runnable task) {
    long wanted = wantedNanos();
    long begin = System.nanoTime();
    task.run();
    long all = System.nanoTime() - begin;
    long wantedByThen = wantedNanos();
    boolean isKnown = wanted >= 0 && wantedByThen >= 0;
    return isKnown ? Math.max(0, all - (wantedByThen - wanted)) : 0;
  }

  /** Negative if the system does not say it, or in other words than these. */
  private static long wantedNanos() {
    try {
      String[] counts = Files.readString(COUNTS).strip().split(" ", -1);
      return counts.length < 2 ? -1 : Long.parseLong(counts[0]) + Long.parseLong(counts[1]);
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
  }
}
