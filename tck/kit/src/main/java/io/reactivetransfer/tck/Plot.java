package io.reactivetransfer.tck;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Registered memory with guard bytes on both sides, filled with noise, and a note of what every
 * byte of it should be. So a byte that changed where none should is found wherever it is.
 */
final class Plot {

  private static final int GUARD = 256;

  private final TransferEngine owner;
  private final MemorySegment whole;
  private final byte[] expected;
  private final MemoryRegion region;

  private Plot(TransferEngine owner, MemorySegment whole, byte[] expected, MemoryRegion region) {
    this.owner = owner;
    this.whole = whole;
    this.expected = expected;
    this.region = region;
  }

  /** Memory within its guards, with noise in it. */
  static MemorySegment noise(SegmentAllocator memory, Random random, long length) {
    byte[] bytes = new byte[Math.toIntExact(length + 2 * GUARD)];
    new SplittableRandom(random.nextLong()).nextBytes(bytes); // ten times as fast as a Random
    MemorySegment whole = memory.allocate(bytes.length, 64);
    MemorySegment.copy(bytes, 0, whole, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return whole;
  }

  /** The part of it that is registered. */
  static MemorySegment within(MemorySegment noise) {
    return noise.asSlice(GUARD, noise.byteSize() - 2 * GUARD);
  }

  /** The memory of a region. */
  static MemorySegment memoryOf(MemoryRegion region) {
    return ((HostMemory) region.memory()).segment();
  }

  static Plot of(TransferEngine owner, MemorySegment noise, MemoryRegion region) {
    return new Plot(owner, noise, noise.toArray(ValueLayout.JAVA_BYTE), region);
  }

  TransferEngine owner() {
    return owner;
  }

  MemoryRegion region() {
    return region;
  }

  MemorySlice slice(long offset, long length) {
    return region.slice(offset, length);
  }

  /** Notes that this range should become a copy of that range of another plot. */
  void expectCopy(long offset, Plot source, long sourceOffset, long length) {
    System.arraycopy(
        source.expected,
        Math.toIntExact(GUARD + sourceOffset),
        expected,
        Math.toIntExact(GUARD + offset),
        Math.toIntExact(length));
  }

  /** The same memory, with the note that every byte should stay what it is now. */
  Plot copy() {
    return of(owner, whole, region);
  }

  /** Whether every byte, guards included, is what it should be. */
  boolean isAsExpected() {
    return mismatch() < 0;
  }

  /** Fails if any byte, guards included, is not what it should be. */
  void assertAsExpected(String what) {
    long at = mismatch();
    if (at >= 0) {
      throw new AssertionError(
          what
              + ": expected byte "
              + expected[(int) at]
              + " at offset "
              + (at - GUARD)
              + " of a region of "
              + region.length()
              + " bytes, got "
              + whole.get(ValueLayout.JAVA_BYTE, at));
    }
  }

  private long mismatch() {
    return whole.mismatch(MemorySegment.ofArray(expected));
  }
}
