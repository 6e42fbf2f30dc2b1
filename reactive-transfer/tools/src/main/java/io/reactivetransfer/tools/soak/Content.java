package io.reactivetransfer.tools.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that a stamp decides: no two stamps have a word in common, but by chance. */
final class Content {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Content() {}

  /** Spreads what is alike; the finalizer of SplitMix64. */
  static long mix(long value) {
    long z = value + GOLDEN;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** The word of eight bytes with this index. */
  static long word(long stamp, long index) {
    return mix(stamp + index * GOLDEN);
  }

  static void fill(MemorySegment memory, long stamp) {
    long whole = memory.byteSize() / Long.BYTES;
    for (long i = 0; i < whole; i++) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, i * Long.BYTES, word(stamp, i));
    }
    long rest = word(stamp, whole);
    for (long at = whole * Long.BYTES; at < memory.byteSize(); at++) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) rest);
      rest >>>= Byte.SIZE;
    }
  }

  /** Where the memory differs first from what the stamp decides, or -1. */
  static long mismatch(MemorySegment memory, long stamp) {
    long whole = memory.byteSize() / Long.BYTES;
    for (long i = 0; i < whole; i++) {
      long difference =
          memory.get(ValueLayout.JAVA_LONG_UNALIGNED, i * Long.BYTES) ^ word(stamp, i);
      if (difference != 0) {
        return firstOf(memory.asSlice(i * Long.BYTES, Long.BYTES), word(stamp, i)) + i * Long.BYTES;
      }
    }
    MemorySegment rest = memory.asSlice(whole * Long.BYTES);
    long at = firstOf(rest, word(stamp, whole));
    return at < 0 ? -1 : at + whole * Long.BYTES;
  }

  /** In the byte order in which {@link #fill} has written it. */
  private static long firstOf(MemorySegment bytes, long word) {
    MemorySegment expected = MemorySegment.ofArray(new byte[Long.BYTES]);
    if (bytes.byteSize() == Long.BYTES) {
      expected.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, word);
    } else {
      for (int i = 0; i < Long.BYTES; i++) {
        expected.set(ValueLayout.JAVA_BYTE, i, (byte) (word >>> (i * Byte.SIZE)));
      }
    }
    return bytes.mismatch(expected.asSlice(0, bytes.byteSize()));
  }
}
