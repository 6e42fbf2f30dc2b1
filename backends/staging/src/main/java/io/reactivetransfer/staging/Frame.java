package io.reactivetransfer.staging;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What is in front of the bytes of each piece that goes to a peer's accelerator, in the same write:
 * so it is there when they are, in whatever order writes come. Its target believes none of it.
 */
final class Frame {

  /** What it takes, a multiple of the line of a cache. */
  static final int BYTES = 64;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int WINDOW = 0;
  private static final int NUMBER = 8;
  private static final int KEY_HIGH = 16;
  private static final int KEY_LOW = 24;
  private static final int OFFSET = 32;
  private static final int LENGTH = 40;
  private static final int HAS_IMM = 44;
  private static final int IMM = 48;
  private static final int WRITE_LENGTH = 56;

  private Frame() {}

  /**
   * Puts it at the beginning of a buffer.
   *
   * @param window that the peer has granted
   * @param number of the pieces that this slot of the window has had
   */
  static void put(MemorySegment buffer, long window, long number, StagedKey key) {
    buffer.set(LONG, WINDOW, window);
    buffer.set(LONG, NUMBER, number);
    buffer.set(LONG, KEY_HIGH, key.high());
    buffer.set(LONG, KEY_LOW, key.low());
  }

  /** Where the bytes go. */
  static void putPlace(MemorySegment buffer, long offset, int length) {
    buffer.set(LONG, OFFSET, offset);
    buffer.set(INT, LENGTH, length);
  }

  /** Whether an immediate is to be counted when the bytes are there, and of how long a write. */
  static void putImm(MemorySegment buffer, boolean hasImm, int imm, long writeLength) {
    buffer.set(INT, HAS_IMM, hasImm ? 1 : 0);
    buffer.set(INT, IMM, imm);
    buffer.set(LONG, WRITE_LENGTH, writeLength);
  }

  static long window(MemorySegment buffer) {
    return buffer.get(LONG, WINDOW);
  }

  static long number(MemorySegment buffer) {
    return buffer.get(LONG, NUMBER);
  }

  static long keyHigh(MemorySegment buffer) {
    return buffer.get(LONG, KEY_HIGH);
  }

  static long keyLow(MemorySegment buffer) {
    return buffer.get(LONG, KEY_LOW);
  }

  static long offset(MemorySegment buffer) {
    return buffer.get(LONG, OFFSET);
  }

  static int length(MemorySegment buffer) {
    return buffer.get(INT, LENGTH);
  }

  static boolean hasImm(MemorySegment buffer) {
    return buffer.get(INT, HAS_IMM) != 0;
  }

  static int imm(MemorySegment buffer) {
    return buffer.get(INT, IMM);
  }

  static long writeLength(MemorySegment buffer) {
    return buffer.get(LONG, WRITE_LENGTH);
  }
}
