package io.reactivetransfer.tcp;

import io.reactivetransfer.fuzz.Input;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * One piece of memory that all regions of a case lie in, with bytes around each that nobody may
 * touch; and beside it what it must look like, byte for byte.
 */
final class Ground {

  private static final int MAX_GAP = 40;

  private final MemorySegment memory;
  private final byte[] pattern;
  private final byte[] expected;
  private final MemorySegment expectedView;
  private int used;

  Ground(int bytes) {
    memory = Arena.ofAuto().allocate(bytes, 64);
    pattern = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      pattern[i] = (byte) (i * 31 + 7 ^ i >>> 8);
    }
    expected = new byte[bytes];
    expectedView = MemorySegment.ofArray(expected);
  }

  /** All as at the beginning. */
  void reset() {
    System.arraycopy(pattern, 0, expected, 0, expected.length);
    memory.copyFrom(expectedView);
    used = 0;
  }

  /** The next free place of so many bytes, behind a gap or right behind the last one. */
  int place(Input in, int bytes) {
    int at = used + (in.chance(40) ? 0 : in.between(1, MAX_GAP));
    if (at + bytes > expected.length) {
      throw new IllegalStateException("expected regions of less, got " + (at + bytes) + " bytes");
    }
    used = at + bytes;
    return at;
  }

  MemorySegment segment(int at, int bytes) {
    return memory.asSlice(at, bytes);
  }

  /** This byte is written there. */
  void put(int at, byte value) {
    expected[at] = value;
  }

  /** What lies there. */
  byte[] bytes(int at, int count) {
    return Arrays.copyOfRange(expected, at, at + count);
  }

  /** Nothing is different from what it must be. */
  void check() {
    long at = memory.mismatch(expectedView);
    if (at >= 0) {
      byte there = memory.get(ValueLayout.JAVA_BYTE, at);
      throw new AssertionError(
          "expected byte " + at + " to be " + expected[(int) at] + ", got " + there);
    }
  }
}
