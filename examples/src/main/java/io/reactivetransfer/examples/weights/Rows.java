package io.reactivetransfer.examples.weights;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** Goes over a box of elements, in pieces that lie without gaps. */
final class Rows {

  /** Is told of elements that lie one behind the other. */
  interface Each {
    void row(long first, long length);
  }

  private Rows() {}

  /**
   * In the order of the elements, the last dimension fastest.
   *
   * @param sizes of the box
   * @param strides elements from one to its neighbour, 1 in the last dimension
   * @param first where the first element is
   */
  static void each(long[] sizes, long[] strides, long first, Each each) {
    int outer = sizes.length;
    long length = 1;
    while (outer > 0 && (strides[outer - 1] == length || sizes[outer - 1] == 1)) {
      length *= sizes[--outer];
    }
    each(sizes, strides, 0, outer, first, length, each);
  }

  private static void each(
      long[] sizes, long[] strides, int at, int outer, long first, long length, Each each) {
    if (at == outer) {
      each.row(first, length);
      return;
    }
    for (long i = 0; i < sizes[at]; i++) {
      each(sizes, strides, at + 1, outer, first + i * strides[at], length, each);
    }
  }

  /** Adds bytes to a sum. */
  static void add(CRC32C sum, MemorySegment of, long offset, long bytes) {
    long most = 1 << 30;
    for (long at = 0; at < bytes; at += most) {
      sum.update(of.asSlice(offset + at, Math.min(most, bytes - at)).asByteBuffer());
    }
  }
}
