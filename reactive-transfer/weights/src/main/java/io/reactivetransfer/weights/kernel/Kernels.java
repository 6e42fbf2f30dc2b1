package io.reactivetransfer.weights.kernel;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.MemorySegment;

/**
 * What is done with the elements of a tile, in one of two ways whose results are the same, bit for
 * bit. Offsets are those of element 0, in bytes. For one thread, and allocates nothing.
 */
interface Kernels {

  /** The most elements of a tile. */
  int capacity();

  /** The largest absolute value of a tile, as bits of FP32: a NaN is larger than all others. */
  int largest(DataType type, MemorySegment source, long offset, Walk walk);

  /** Casts a tile to another type, each element divided by a scale, and puts it in its place. */
  void convert(
      DataType from,
      MemorySegment source,
      long offset,
      DataType to,
      float scale,
      MemorySegment target,
      Walk walk);

  /** The same for the tile whose largest value was asked for last. */
  void convertLast(DataType to, float scale, MemorySegment target, Walk walk);
}
