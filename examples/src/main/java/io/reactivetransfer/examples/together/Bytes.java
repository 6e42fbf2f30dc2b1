package io.reactivetransfer.examples.together;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Made from a seed, and compared with what the same seed makes. */
final class Bytes {

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private Bytes() {}

  /** The constants are those of SplitMix64. */
  private static long at(long seed, long offset) {
    long bits = (seed * GOLDEN) ^ (offset + GOLDEN);
    bits = (bits ^ (bits >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return bits ^ (bits >>> 31);
  }

  /** Its length is a multiple of 8. */
  static void fill(MemorySegment memory, long seed) {
    for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
      memory.set(LONG, offset, at(seed, offset));
    }
  }

  /**
   * Compares.
   *
   * @param from where, in what was filled, the first byte of this memory lay
   * @throws WrongBytesException if they differ
   */
  static void require(String what, MemorySegment memory, long seed, long from) {
    for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
      long expected = at(seed, from + offset);
      long found = memory.get(LONG, offset);
      if (found != expected) {
        throw new WrongBytesException(
            "%s: expected %016x at %d, got %016x".formatted(what, expected, offset, found));
      }
    }
  }
}
