package io.reactivetransfer.weights.kernel;

import java.lang.foreign.MemorySegment;

/**
 * Brings a tile whose source is contiguous along its columns into rows. Whole columns are copied
 * first, so that each cache line is read once; then squares of 8, 4 or 2 elements a side, which are
 * as many longs, are turned in registers. Memory is only copied from and to: loops that take
 * elements of segments are slow where segments of several kinds come.
 */
final class Transposer {

  private static final long INTS = 0x00000000ffffffffL;
  private static final long SHORTS = 0x0000ffff0000ffffL;
  private static final long BYTES = 0x00ff00ff00ff00ffL;

  private long[] from = new long[0];
  private long[] to = new long[0];
  private MemorySegment ofFrom = MemorySegment.ofArray(from);
  private MemorySegment ofTo = MemorySegment.ofArray(to);

  /** Elements of a tile whose columns are long enough for memory to be read ahead. */
  static final int CAPACITY = 16_384;

  /**
   * From where a walk stands in its source.
   *
   * @param at where the first row goes, in bytes
   * @param rowBytes from one row there to the next
   */
  void move(
      int width,
      MemorySegment source,
      long offset,
      Walk walk,
      MemorySegment target,
      long at,
      long rowBytes) {
    int inLong = Long.BYTES / width;
    int rowLongs = Math.ceilDiv(walk.columns, inLong);
    int columnLongs = Math.ceilDiv(walk.rows, inLong);
    reserve(rowLongs * columnLongs * inLong);
    long start = offset + walk.sourceElement * width;
    long stride = walk.sourceColumnStride * width;
    long length = (long) walk.rows * width;
    for (int column = 0; column < walk.columns; column++) {
      long to = (long) column * columnLongs * Long.BYTES;
      MemorySegment.copy(source, start + column * stride, ofFrom, to, length);
    }
    switch (width) {
      case Byte.BYTES -> bytes(rowLongs, columnLongs);
      case Short.BYTES -> shorts(rowLongs, columnLongs);
      default -> ints(rowLongs, columnLongs);
    }
    long row = (long) walk.columns * width;
    for (int i = 0; i < walk.rows; i++) {
      MemorySegment.copy(ofTo, (long) i * rowLongs * Long.BYTES, target, at + i * rowBytes, row);
    }
  }

  private void reserve(int longs) {
    if (from.length < longs) {
      from = new long[longs];
      to = new long[longs];
      ofFrom = MemorySegment.ofArray(from);
      ofTo = MemorySegment.ofArray(to);
    }
  }

  private void ints(int rowLongs, int columnLongs) {
    for (int column = 0; column < rowLongs; column++) {
      int in = 2 * column * columnLongs;
      int out = column;
      for (int row = 0; row < columnLongs; row++, in++, out += 2 * rowLongs) {
        long a = from[in];
        long b = from[in + columnLongs];
        to[out] = low(a, b, INTS, 32);
        to[out + rowLongs] = high(a, b, INTS, 32);
      }
    }
  }

  private void shorts(int rowLongs, int columnLongs) {
    for (int column = 0; column < rowLongs; column++) {
      int in = 4 * column * columnLongs;
      int out = column;
      for (int row = 0; row < columnLongs; row++, in++, out += 4 * rowLongs) {
        long a = from[in];
        long b = from[in + columnLongs];
        long c = from[in + 2 * columnLongs];
        long d = from[in + 3 * columnLongs];
        put4(a, b, c, d, SHORTS, 16, 32, out, rowLongs);
      }
    }
  }

  /** Four longs whose elements are of so many bits, or pairs of them, to as many rows. */
  private void put4(
      long a, long b, long c, long d, long mask, int bits, int twice, int out, int rowLongs) {
    long wide = twice == 32 ? INTS : SHORTS;
    long ac = low(a, c, wide, twice);
    long bd = low(b, d, wide, twice);
    to[out] = low(ac, bd, mask, bits);
    to[out + rowLongs] = high(ac, bd, mask, bits);
    long acHigh = high(a, c, wide, twice);
    long bdHigh = high(b, d, wide, twice);
    to[out + 2 * rowLongs] = low(acHigh, bdHigh, mask, bits);
    to[out + 3 * rowLongs] = high(acHigh, bdHigh, mask, bits);
  }

  private void bytes(int rowLongs, int columnLongs) {
    for (int column = 0; column < rowLongs; column++) {
      int in = 8 * column * columnLongs;
      int out = column;
      for (int row = 0; row < columnLongs; row++, in++, out += 8 * rowLongs) {
        long a = from[in];
        long b = from[in + columnLongs];
        long c = from[in + 2 * columnLongs];
        long d = from[in + 3 * columnLongs];
        long e = from[in + 4 * columnLongs];
        long f = from[in + 5 * columnLongs];
        long g = from[in + 6 * columnLongs];
        long h = from[in + 7 * columnLongs];
        put4(
            low(a, e, INTS, 32),
            low(b, f, INTS, 32),
            low(c, g, INTS, 32),
            low(d, h, INTS, 32),
            BYTES,
            8,
            16,
            out,
            rowLongs);
        put4(
            high(a, e, INTS, 32),
            high(b, f, INTS, 32),
            high(c, g, INTS, 32),
            high(d, h, INTS, 32),
            BYTES,
            8,
            16,
            out + 4 * rowLongs,
            rowLongs);
      }
    }
  }

  /** Of each two elements the first one, from both in turn. */
  private static long low(long one, long other, long mask, int bits) {
    return (one & mask) | (other & mask) << bits;
  }

  /** Of each two elements the second one, from both in turn. */
  private static long high(long one, long other, long mask, int bits) {
    return (one >>> bits & mask) | (other & ~mask);
  }
}
