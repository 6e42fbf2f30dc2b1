package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Some elements on their way from one type to another one, in arrays that stay in the first caches.
 * Loading brings them from wherever they lie, storing to wherever they belong; between the two they
 * are the bits of FP32, even and odd ones apart. Used again and again, and allocates nothing; one
 * thread at a time.
 */
final class Tile implements Kernels {

  /** The most elements. */
  static final int CAPACITY = 2_048;

  private static final int PAIRS = CAPACITY / 2;
  private static final float E4M3_UNITS = 512;
  private static final float E5M2_UNITS = 65_536;

  private final byte[] bytes = new byte[CAPACITY];
  private final short[] shorts = new short[CAPACITY];
  private final int[] ints = new int[PAIRS];
  private final long[] longs = new long[PAIRS];
  private final int[] even = new int[PAIRS];
  private final int[] odd = new int[PAIRS];
  private final int[] sumBits = new int[PAIRS];
  private final float[] values = new float[PAIRS];
  private final float[] sums = new float[PAIRS];
  private final float[] inOrder = new float[CAPACITY];

  private final MemorySegment ofBytes = MemorySegment.ofArray(bytes);
  private final MemorySegment ofShorts = MemorySegment.ofArray(shorts);
  private final MemorySegment ofInts = MemorySegment.ofArray(ints);
  private final MemorySegment ofLongs = MemorySegment.ofArray(longs);
  private final MemorySegment ofEven = MemorySegment.ofArray(even);
  private final MemorySegment ofOdd = MemorySegment.ofArray(odd);
  private final MemorySegment ofValues = MemorySegment.ofArray(values);
  private final MemorySegment ofSums = MemorySegment.ofArray(sums);
  private final MemorySegment ofInOrder = MemorySegment.ofArray(inOrder);

  private final Transposer transposer = new Transposer();
  private int count;
  private int pairs;

  @Override
  public int capacity() {
    return CAPACITY;
  }

  @Override
  public int largest(DataType type, MemorySegment source, long offset, Walk walk) {
    load(type, source, offset, walk);
    decode(type);
    return Math.max(Lanes.largest(even, pairs), Lanes.largest(odd, pairs));
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
    decode(from);
    encode(to, scale);
    store(to, target, 0, walk);
  }

  @Override
  public void convertLast(DataType to, float scale, MemorySegment target, Walk walk) {
    encode(to, scale);
    store(to, target, 0, walk);
  }

  /** Brings a tile to where it belongs, as it is. */
  void copy(DataType type, MemorySegment source, long offset, MemorySegment target, Walk walk) {
    int width = type.bits() / Byte.SIZE;
    long to = walk.targetElement * width;
    long toRow = walk.targetRowStride * width;
    if (walk.isTransposed()) {
      transposer.move(width, source, offset, walk, target, to, toRow);
    } else if (walk.sourceColumnStride != 1 || walk.targetColumnStride != 1) {
      Strided.load(ofLongs, width, source, offset, walk);
      Strided.store(ofLongs, width, target, 0, walk);
    } else {
      long length = (long) walk.columns * width;
      for (int row = 0; row < walk.rows; row++) {
        long at = offset + (walk.sourceElement + row * walk.sourceRowStride) * width;
        MemorySegment.copy(source, at, target, to + row * toRow, length);
      }
    }
  }

  /** Brings the elements of a tile here, as they are. */
  private void load(DataType type, MemorySegment from, long offset, Walk walk) {
    count = walk.rows * walk.columns;
    pairs = (count + 1) / 2;
    load(raw(type), type.bits() / Byte.SIZE, from, offset, walk);
    if (count % 2 != 0) {
      clearLast(type);
    }
  }

  /** Brings the elements of a tile into memory without gaps. */
  void load(MemorySegment to, int width, MemorySegment from, long offset, Walk walk) {
    if (walk.isTransposed()) {
      transposer.move(width, from, offset, walk, to, 0, (long) walk.columns * width);
    } else {
      Strided.load(to, width, from, offset, walk);
    }
  }

  /** So that what is beside an odd last element is no large number. */
  private void clearLast(DataType type) {
    switch (type.bits()) {
      case Integer.SIZE -> longs[pairs - 1] &= 0xffffffffL;
      case Byte.SIZE -> bytes[count] = 0;
      default -> {
        if (type == DataType.BF16) {
          ints[pairs - 1] &= 0xffff;
        } else {
          shorts[count] = 0;
        }
      }
    }
  }

  /** Brings the elements of a tile to where they belong, as they are. */
  private void store(DataType type, MemorySegment to, long offset, Walk walk) {
    if (type.isPacked()) {
      Strided.storeNibbles(bytes, to, offset, walk);
    } else {
      Strided.store(raw(type), type.bits() / Byte.SIZE, to, offset, walk);
    }
  }

  /** The array in which elements of a type lie as they are. */
  private MemorySegment raw(DataType type) {
    return switch (type) {
      case FP32 -> ofLongs;
      case BF16 -> ofInts;
      case FP16 -> ofShorts;
      case FP8_E4M3, FP8_E5M2, INT8, INT4 -> ofBytes;
    };
  }

  /** From a floating type to FP32. */
  private void decode(DataType type) {
    switch (type) {
      case FP32 -> Lanes.apart(longs, even, odd, pairs);
      case BF16 -> Lanes.fromBf16(ints, even, odd, pairs);
      case FP16 -> {
        Lanes.fromFp16(shorts, inOrder, 2 * pairs);
        MemorySegment.copy(ofInOrder, ValueLayout.JAVA_LONG_UNALIGNED, 0, longs, 0, pairs);
        Lanes.apart(longs, even, odd, pairs);
      }
      case FP8_E4M3 -> Lanes.fromTable(bytes, Fp8.E4M3, even, odd, pairs);
      case FP8_E5M2 -> Lanes.fromTable(bytes, Fp8.E5M2, even, odd, pairs);
      case INT8, INT4 ->
          throw new IllegalArgumentException("expected a floating type, got " + type);
    }
  }

  /** From FP32 to a type, each element divided by a scale. */
  private void encode(DataType type, float scale) {
    switch (type) {
      case FP32 -> Lanes.together(even, odd, longs, pairs);
      case BF16 -> {
        Lanes.toBf16(even, pairs);
        Lanes.toBf16(odd, pairs);
        Lanes.pair(even, odd, Short.SIZE, ints, pairs);
      }
      case FP16 -> {
        Lanes.together(even, odd, longs, pairs);
        MemorySegment.copy(ofLongs, ValueLayout.JAVA_FLOAT, 0, inOrder, 0, 2 * pairs);
        Lanes.toFp16(inOrder, shorts, 2 * pairs);
      }
      case FP8_E4M3, FP8_E5M2 -> {
        toFp8(type, ofEven, even, scale);
        toFp8(type, ofOdd, odd, scale);
        narrowToBytes();
      }
      case INT8 -> {
        toInteger(ofEven, even, scale, Byte.MAX_VALUE);
        toInteger(ofOdd, odd, scale, Byte.MAX_VALUE);
        narrowToBytes();
      }
      case INT4 -> {
        toInteger(ofEven, even, scale, 7);
        toInteger(ofOdd, odd, scale, 7);
        Lanes.pair(even, odd, 4, ints, pairs);
        Lanes.narrow(ints, bytes, pairs);
      }
    }
  }

  private void toFp8(DataType type, MemorySegment ofBits, int[] bits, float scale) {
    MemorySegment.copy(ofBits, ValueLayout.JAVA_FLOAT, 0, values, 0, pairs);
    if (scale != 1) {
      Lanes.divide(values, scale, pairs);
      MemorySegment.copy(ofValues, ValueLayout.JAVA_INT, 0, bits, 0, pairs);
    }
    Lanes.subnormals(values, type == DataType.FP8_E4M3 ? E4M3_UNITS : E5M2_UNITS, sums, pairs);
    MemorySegment.copy(ofSums, ValueLayout.JAVA_INT, 0, sumBits, 0, pairs);
    if (type == DataType.FP8_E4M3) {
      Lanes.toE4m3(bits, sumBits, pairs);
    } else {
      Lanes.toE5m2(bits, sumBits, pairs);
    }
  }

  private void toInteger(MemorySegment ofBits, int[] bits, float scale, int most) {
    MemorySegment.copy(ofBits, ValueLayout.JAVA_FLOAT, 0, values, 0, pairs);
    if (scale != 1) {
      Lanes.divide(values, scale, pairs);
    }
    Lanes.integers(values, sums, pairs);
    MemorySegment.copy(ofSums, ValueLayout.JAVA_INT, 0, bits, 0, pairs);
    Lanes.toInteger(bits, most, pairs);
  }

  /** Even and odd bytes, in order. */
  private void narrowToBytes() {
    Lanes.pair(even, odd, Byte.SIZE, ints, pairs);
    int quads = (pairs + 1) / 2;
    MemorySegment.copy(ofInts, ValueLayout.JAVA_LONG_UNALIGNED, 0, longs, 0, quads);
    Lanes.narrow(longs, sumBits, quads);
    MemorySegment.copy(sumBits, 0, ofBytes, ValueLayout.JAVA_INT_UNALIGNED, 0, quads);
  }
}
