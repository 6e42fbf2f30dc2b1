package io.reactivetransfer.weights.check;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The CRC-32C of rows of memory, one after the other. */
final class Sums {

  /** Rows that lie within so many bytes are seen through one buffer. */
  private static final long MOST = 1 << 30;

  private Sums() {}

  /**
   * Sums up.
   *
   * @throws IndexOutOfBoundsException if they do not lie within the memory
   */
  static int of(MemorySegment memory, long offset, long rowBytes, long rows, long stride) {
    CRC32C sum = new CRC32C();
    long extent = rows == 1 ? rowBytes : extent(rowBytes, rows, stride);
    MemorySegment all = memory.asSlice(offset, extent);
    if (extent <= MOST && rows > 1) {
      ByteBuffer buffer = all.asByteBuffer();
      for (long row = 0; row < rows; row++) {
        int at = (int) (row * stride);
        sum.update(buffer.limit(at + (int) rowBytes).position(at));
      }
    } else {
      for (long row = 0; row < rows; row++) {
        row(sum, all, row * stride, rowBytes);
      }
    }
    return (int) sum.getValue();
  }

  private static void row(CRC32C sum, MemorySegment memory, long offset, long bytes) {
    for (long at = 0; at < bytes; at += MOST) {
      sum.update(memory.asSlice(offset + at, Math.min(MOST, bytes - at)).asByteBuffer());
    }
  }

  /** From the first byte of the first row to the last of the last. */
  static long extent(long rowBytes, long rows, long stride) {
    try {
      return Math.addExact(Math.multiplyExact(rows - 1, stride), rowBytes);
    } catch (ArithmeticException e) {
      throw new IndexOutOfBoundsException(
          "expected rows that can be addressed, got "
              + rows
              + " of "
              + rowBytes
              + " bytes at a stride of "
              + stride);
    }
  }
}
