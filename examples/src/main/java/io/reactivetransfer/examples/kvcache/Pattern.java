package io.reactivetransfer.examples.kvcache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a page holds: each has other words. */
public final class Pattern {

  /** Number of what nobody has. */
  static final int NOBODY = -1;

  private Pattern() {}

  private static long begin(int number, int layer, int index) {
    long mixed = ((number * 1_000_003L) + layer) * 1_000_003L + index;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 27);
  }

  /** Of the page at this place of a hand-over. */
  public static void fill(MemorySegment page, int number, int layer, int index) {
    long word = begin(number, layer, index);
    for (long at = 0; at + Long.BYTES <= page.byteSize(); at += Long.BYTES) {
      page.set(ValueLayout.JAVA_LONG_UNALIGNED, at, word++);
    }
  }

  /** Whether all of it is there. */
  public static boolean fills(MemorySegment page, int number, int layer, int index) {
    long word = begin(number, layer, index);
    for (long at = 0; at + Long.BYTES <= page.byteSize(); at += Long.BYTES) {
      if (page.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != word++) {
        return false;
      }
    }
    return true;
  }
}
