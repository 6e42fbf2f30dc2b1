package io.reactivetransfer.weights.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Brings a tile from memory into an array without gaps, and back. */
final class Strided {

  private Strided() {}

  /** From where a walk stands in its source; the offset is that of element 0, in bytes. */
  static void load(MemorySegment tile, int width, MemorySegment from, long offset, Walk walk) {
    long start = offset + walk.sourceElement * width;
    long rowBytes = walk.sourceRowStride * width;
    int rows = walk.rows;
    if (walk.sourceColumnStride == 1) {
      long length = (long) walk.columns * width;
      for (int row = 0; row < rows; row++) {
        MemorySegment.copy(from, start + row * rowBytes, tile, row * length, length);
      }
      return;
    }
    long columnBytes = walk.sourceColumnStride * width;
    long rowOfTile = (long) walk.columns * width;
    // Along the source's own rows, if it has them in the other dimension.
    for (int column = 0; column < walk.columns; column++) {
      copy(
          from,
          start + column * columnBytes,
          rowBytes,
          tile,
          (long) column * width,
          rowOfTile,
          rows,
          width);
    }
  }

  /** To where a walk stands in its target. */
  static void store(MemorySegment tile, int width, MemorySegment to, long offset, Walk walk) {
    long start = offset + walk.targetElement * width;
    long rowBytes = walk.targetRowStride * width;
    long rowOfTile = (long) walk.columns * width;
    for (int row = 0; row < walk.rows; row++) {
      if (walk.targetColumnStride == 1) {
        MemorySegment.copy(tile, row * rowOfTile, to, start + row * rowBytes, rowOfTile);
      } else {
        copy(
            tile,
            row * rowOfTile,
            width,
            to,
            start + row * rowBytes,
            walk.targetColumnStride * width,
            walk.columns,
            width);
      }
    }
  }

  /** So many elements, each at a stride of both sides in bytes. */
  private static void copy(
      MemorySegment from,
      long source,
      long sourceStride,
      MemorySegment to,
      long target,
      long targetStride,
      int count,
      int width) {
    switch (width) {
      case Byte.BYTES -> {
        for (int i = 0; i < count; i++) {
          byte one = from.get(ValueLayout.JAVA_BYTE, source + i * sourceStride);
          to.set(ValueLayout.JAVA_BYTE, target + i * targetStride, one);
        }
      }
      case Short.BYTES -> {
        for (int i = 0; i < count; i++) {
          short one = from.get(ValueLayout.JAVA_SHORT_UNALIGNED, source + i * sourceStride);
          to.set(ValueLayout.JAVA_SHORT_UNALIGNED, target + i * targetStride, one);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          int one = from.get(ValueLayout.JAVA_INT_UNALIGNED, source + i * sourceStride);
          to.set(ValueLayout.JAVA_INT_UNALIGNED, target + i * targetStride, one);
        }
      }
    }
  }

  /**
   * Elements of 4 bits, two to a byte, to where a walk stands: by bytes where that is possible,
   * else one by one beside what is there.
   */
  static void storeNibbles(byte[] tile, MemorySegment to, long offset, Walk walk) {
    boolean whole = walk.targetColumnStride == 1 && walk.columns % 2 == 0;
    for (int row = 0; row < walk.rows; row++) {
      long start = walk.targetElement + row * walk.targetRowStride;
      int first = row * walk.columns;
      if (whole && start % 2 == 0) {
        MemorySegment.copy(
            tile, first / 2, to, ValueLayout.JAVA_BYTE, offset + start / 2, walk.columns / 2);
        continue;
      }
      for (int column = 0; column < walk.columns; column++) {
        int element = first + column;
        int nibble = tile[element / 2] >> (4 * (element % 2)) & 0xf;
        long at = start + column * walk.targetColumnStride;
        int shift = at % 2 == 0 ? 0 : 4;
        int both = to.get(ValueLayout.JAVA_BYTE, offset + at / 2);
        to.set(
            ValueLayout.JAVA_BYTE,
            offset + at / 2,
            (byte) ((both & ~(0xf << shift)) | (nibble << shift)));
      }
    }
  }
}
