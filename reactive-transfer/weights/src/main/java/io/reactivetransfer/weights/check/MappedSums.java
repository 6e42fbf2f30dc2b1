package io.reactivetransfer.weights.check;

import io.reactivetransfer.spi.MemoryFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/**
 * The CRC-32C of rows of a mapped file. Where somebody has shortened it, the instructions that sum
 * up in place end the process; a copy fails by itself. So the bytes are summed up from a copy.
 */
final class MappedSums {

  /** Much in one copy, and within the caches of a core. */
  private static final int MOST_BYTES = 64 << 10;

  private final CRC32C sum = new CRC32C();
  private final byte[] copy;
  private int length;

  private MappedSums(int most) {
    copy = new byte[most];
  }

  /**
   * Sums up rows that lie within the memory.
   *
   * @throws IllegalStateException if the file does not have them any more
   */
  static int of(MemorySegment memory, long rowBytes, long rows, long stride) {
    MappedSums sums = new MappedSums(Math.clamp(memory.byteSize(), 1, MOST_BYTES));
    try {
      for (long row = 0; row < rows; row++) {
        sums.add(memory, row * stride, rowBytes);
      }
      sums.sumUp();
    } catch (InternalError fault) {
      throw new IllegalStateException(
          "expected bytes of a mapped file, got a fault: somebody has shortened it, or it cannot be"
              + " read",
          fault);
    }
    return (int) sums.sum.getValue();
  }

  private void add(MemorySegment memory, long offset, long bytes) {
    for (long at = 0; at < bytes; ) {
      if (length == copy.length) {
        sumUp();
      }
      int next = (int) Math.min(copy.length - length, bytes - at);
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + at, copy, length, next);
      length += next;
      at += next;
    }
  }

  private void sumUp() {
    MemoryFaults.report(length);
    sum.update(copy, 0, length);
    length = 0;
  }
}
