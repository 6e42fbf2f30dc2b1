package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.tools.ByteCount;
import java.lang.management.ManagementFactory;

/** Refuses what this machine has no room for, before it starts to swap. */
final class NativeMemory {

  private NativeMemory() {}

  /**
   * Both sides, each with its pool.
   *
   * @param handOvers how many run at once
   */
  static void requireEnough(Shape shape, int handOvers) {
    var machine =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    long total = machine.getTotalMemorySize();
    long side = handOvers * Math.max(shape.layout().bytes(0), shape.sourceLayout().bytes(0));
    if (side > total / 2) {
      throw new IllegalArgumentException(
          shape
              + " need "
              + new ByteCount(side)
              + " on each side, and this machine has "
              + new ByteCount(total)
              + " in all; use fewer or smaller pages");
    }
  }
}
