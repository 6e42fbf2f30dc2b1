package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Does what {@link Tile} does with vectors: elements are made bits of FP32 in an array, all in
 * order, and what they become is made from that. Long rows go straight from memory into registers
 * and from registers to memory; short ones are copied, since loops over few vectors are slow.
 *
 * <p>Loops are compiled for the class of segments that they have had, and are a thousand times
 * slower while they are compiled for another one. So they have native ones only: elements in an
 * array, or in a file, are copied, too.
 */
final class VectorTile implements Kernels {

  /** A unit of 128 x 128 elements is looked at once, in the second cache. */
  static final int CAPACITY = 16_384;

  // Elements of a row that is worth a loop of its own: reading is little work, writing is not.
  private static final int LONG_SOURCE = 64;
  private static final int LONG_TARGET = 512;

  private final Tile plain;
  private final int[] bits = new int[CAPACITY + VectorLanes.LANES];
  private final byte[] nibbles = new byte[CAPACITY / 2 + VectorLanes.LANES];

  /** Elements as they are, and as many bytes behind them as a vector may have. */
  private final MemorySegment raw;

  VectorTile(Tile plain) {
    this.plain = plain;
    int bytes = Integer.BYTES * (CAPACITY + VectorLanes.LANES);
    // Freed when nobody has this object any more.
    raw = Arena.ofAuto().allocate(bytes, 64);
  }

  /** Whether this machine's vectors are long enough. */
  static boolean isOfUse() {
    return VectorLanes.areLongEnough();
  }

  @Override
  public int capacity() {
    return CAPACITY;
  }

  @Override
  public int largest(DataType type, MemorySegment source, long offset, Walk walk) {
    load(type, source, offset, walk);
    return VectorLanes.largest(bits, walk.rows * walk.columns);
  }

  @Override
  public void convert(
      DataType from,
      MemorySegment source,
      long offset,
      DataType to,
      float scale,
      MemorySegment target,
      Walk walk) {
    load(from, source, offset, walk);
    store(to, scale, target, walk);
  }

  @Override
  public void convertLast(DataType to, float scale, MemorySegment target, Walk walk) {
    store(to, scale, target, walk);
  }

  /** Brings a tile into the array, as bits of FP32. */
  private void load(DataType type, MemorySegment source, long offset, Walk walk) {
    int width = type.bits() / Byte.SIZE;
    int columns = walk.columns;
    if (isDirect(source, walk.sourceColumnStride, walk.columns, LONG_SOURCE)) {
      long start = offset + walk.sourceElement * width;
      for (int row = 0; row < walk.rows; row++) {
        long at = start + row * walk.sourceRowStride * width;
        decode(type, source, at, row * columns, columns);
      }
    } else {
      plain.load(raw, width, source, offset, walk);
      decode(type, raw, 0, 0, walk.rows * columns);
    }
  }

  private void decode(DataType type, MemorySegment from, long offset, int at, int count) {
    switch (type) {
      case FP32 -> VectorLanes.fromFp32(from, offset, bits, at, count);
      case BF16 -> VectorLanes.fromBf16(from, offset, bits, at, count);
      case FP16 -> VectorLanes.fromFp16(from, offset, bits, at, count);
      case FP8_E4M3 -> VectorLanes.fromE4m3(from, offset, bits, at, count);
      case FP8_E5M2 -> VectorLanes.fromE5m2(from, offset, bits, at, count);
      case INT8, INT4 ->
          throw new IllegalArgumentException("expected a floating type, got " + type);
    }
  }

  /** Puts the array's elements in their places. */
  private void store(DataType type, float scale, MemorySegment target, Walk walk) {
    int count = walk.rows * walk.columns;
    if (type.isPacked()) {
      encode(type, scale, 0, raw, 0, count);
      VectorLanes.pairNibbles(raw, nibbles, (count + 1) / 2);
      Strided.storeNibbles(nibbles, target, 0, walk);
      return;
    }
    int width = type.bits() / Byte.SIZE;
    if (isDirect(target, walk.targetColumnStride, walk.columns, LONG_TARGET)) {
      long start = walk.targetElement * width;
      for (int row = 0; row < walk.rows; row++) {
        long at = start + row * walk.targetRowStride * width;
        encode(type, scale, row * walk.columns, target, at, walk.columns);
      }
    } else {
      encode(type, scale, 0, raw, 0, count);
      Strided.store(raw, width, target, 0, walk);
    }
  }

  private void encode(
      DataType type, float scale, int at, MemorySegment to, long offset, int count) {
    switch (type) {
      case FP32 -> VectorLanes.toFp32(bits, at, to, offset, count);
      case BF16 -> VectorLanes.toBf16(bits, at, to, offset, count);
      case FP16 -> VectorLanes.toFp16(bits, at, to, offset, count);
      case FP8_E4M3 -> VectorLanes.toE4m3(bits, at, scale, to, offset, count);
      case FP8_E5M2 -> VectorLanes.toE5m2(bits, at, scale, to, offset, count);
      case INT8 -> VectorLanes.toInteger(bits, at, scale, Byte.MAX_VALUE, to, offset, count);
      case INT4 -> VectorLanes.toInteger(bits, at, scale, 7, to, offset, count);
    }
  }

  private boolean isDirect(MemorySegment memory, long stride, int columns, int least) {
    return stride == 1 && columns >= least && memory.getClass() == raw.getClass();
  }
}
