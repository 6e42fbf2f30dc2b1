package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory of the application that it has freed too early, in words. */
final class Freed {

  private Freed() {}

  /**
   * What to tell of it, or null if it lives.
   *
   * @param what which memory it is
   * @param until what had to happen before it was freed
   */
  static @Nullable String text(String what, MemorySegment memory, String until) {
    return memory.scope().isAlive()
        ? null
        : "expected "
            + what
            + " until "
            + until
            + ", got "
            + memory.byteSize()
            + " bytes that were freed before";
  }

  /** The same of what the group has from its join on. */
  static @Nullable String ofGroup(String what, @Nullable MemorySegment memory) {
    String text = memory == null ? null : text(what, memory, "close() has completed");
    return text == null ? null : text + "; close the group, then the arena";
  }

  /**
   * Requires memory that lives now.
   *
   * @throws IllegalArgumentException if it was freed
   */
  static void require(String what, MemorySegment memory) {
    if (!memory.scope().isAlive()) {
      throw new IllegalArgumentException(
          "expected "
              + what
              + " in memory that lives, got "
              + memory.byteSize()
              + " bytes that were freed");
    }
  }
}
