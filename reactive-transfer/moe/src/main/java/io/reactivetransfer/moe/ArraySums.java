package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Sums by loops over arrays, which the compiler makes vector instructions of. It goes block by
 * block, and what a block needs stays in the second cache. The loop over numbers of 16 bits that
 * are the upper half of a float knows two tricks for that: two of them are one int, of which one
 * shift and one mask make two floats; and bits become floats by a copy, as there is no vector
 * instruction that the compiler would use for {@code Float.intBitsToFloat}.
 */
final class ArraySums extends TokenSums {

  /**
   * The most numbers of a block; even. Results are read from memory in runs of as many, and the
   * processor reads ahead only within one. With 1,024 sums of 7,168 numbers take 1.4 times as long.
   */
  private static final int BLOCK = 8_192;

  private static final ValueLayout.OfInt PAIR =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat BITS = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final int UPPER = 0xffff_0000;

  private final float[] sum;
  private final float[] values;
  private final short[] halves;

  // Of numbers that come in pairs: the first ones, and the second ones.
  private final int[] pairs;
  private final int[] firstBits;
  private final int[] secondBits;
  private final MemorySegment firstBitsAsMemory;
  private final MemorySegment secondBitsAsMemory;
  private final float[] firsts;
  private final float[] seconds;
  private final MemorySegment firstSumsAsMemory;
  private final MemorySegment secondSumsAsMemory;
  private final float[] firstSums;
  private final float[] secondSums;

  ArraySums(FloatType from, FloatType to, int topK, int numbers) {
    super(from, to, topK);
    int most = Math.min(BLOCK, numbers);
    sum = new float[most];
    values = new float[most];
    halves = new short[most];
    pairs = new int[most / 2];
    firstBits = new int[most / 2];
    secondBits = new int[most / 2];
    firsts = new float[most / 2];
    seconds = new float[most / 2];
    firstSums = new float[most / 2];
    secondSums = new float[most / 2];
    firstBitsAsMemory = MemorySegment.ofArray(firstBits);
    secondBitsAsMemory = MemorySegment.ofArray(secondBits);
    firstSumsAsMemory = MemorySegment.ofArray(firstSums);
    secondSumsAsMemory = MemorySegment.ofArray(secondSums);
  }

  @Override
  void sum(MemorySegment results, int numbers, MemorySegment sums, long offset) {
    for (int begin = 0; begin < numbers; begin += BLOCK) {
      int count = Math.min(BLOCK, numbers - begin);
      if (from == FloatType.BF16) {
        sumPairs(results, begin, count);
      } else {
        sumPlain(results, begin, count);
      }
      store(sums, offset + (long) begin * to.bytes(), count);
    }
  }

  private void sumPlain(MemorySegment results, int begin, int count) {
    Arrays.fill(sum, 0, count, 0);
    for (int k = 0; k < topK; k++) {
      load(results, at[k] + (long) begin * from.bytes(), count);
      add(weights[k], values, sum, count);
    }
  }

  private void load(MemorySegment results, long at, int count) {
    if (from == FloatType.FP32) {
      MemorySegment.copy(results, FloatType.FLOAT, at, values, 0, count);
      return;
    }
    MemorySegment.copy(results, FloatType.SHORT, at, halves, 0, count);
    for (int i = 0; i < count; i++) {
      values[i] = Float.float16ToFloat(halves[i]);
    }
  }

  /** Leaves the sums in {@link #sum} if their number is odd or they are not stored in pairs. */
  private void sumPairs(MemorySegment results, int begin, int count) {
    int half = count / 2;
    Arrays.fill(firstSums, 0, half, 0);
    Arrays.fill(secondSums, 0, half, 0);
    float last = 0;
    for (int k = 0; k < topK; k++) {
      long first = at[k] + 2L * begin;
      MemorySegment.copy(results, PAIR, first, pairs, 0, half);
      split(pairs, firstBits, secondBits, half);
      MemorySegment.copy(firstBitsAsMemory, BITS, 0, firsts, 0, half);
      MemorySegment.copy(secondBitsAsMemory, BITS, 0, seconds, 0, half);
      add(weights[k], firsts, firstSums, half);
      add(weights[k], seconds, secondSums, half);
      if (half * 2 < count) {
        last += weights[k] * FloatType.BF16.get(results, first + 4L * half);
      }
    }
    if (!arePaired(count)) {
      for (int i = 0; i < half; i++) {
        sum[2 * i] = firstSums[i];
        sum[2 * i + 1] = secondSums[i];
      }
      if (half * 2 < count) {
        sum[count - 1] = last;
      }
    }
  }

  private boolean arePaired(int count) {
    return from == FloatType.BF16 && to == FloatType.BF16 && count % 2 == 0;
  }

  private static void split(int[] pairs, int[] firsts, int[] seconds, int count) {
    for (int i = 0; i < count; i++) {
      int pair = pairs[i];
      firsts[i] = pair << 16;
      seconds[i] = pair & UPPER;
    }
  }

  private static void add(float weight, float[] values, float[] sums, int count) {
    for (int i = 0; i < count; i++) {
      sums[i] += weight * values[i];
    }
  }

  private void store(MemorySegment sums, long at, int count) {
    if (arePaired(count)) {
      storePairs(sums, at, count / 2);
      return;
    }
    switch (to) {
      case BF16 -> {
        for (int i = 0; i < count; i++) {
          halves[i] = FloatType.toBf16(sum[i]);
        }
        MemorySegment.copy(halves, 0, sums, FloatType.SHORT, at, count);
      }
      case FP16 -> {
        for (int i = 0; i < count; i++) {
          halves[i] = Float.floatToFloat16(sum[i]);
        }
        MemorySegment.copy(halves, 0, sums, FloatType.SHORT, at, count);
      }
      case FP32 -> MemorySegment.copy(sum, 0, sums, FloatType.FLOAT, at, count);
    }
  }

  private void storePairs(MemorySegment sums, long at, int count) {
    MemorySegment.copy(firstSumsAsMemory, ValueLayout.JAVA_INT_UNALIGNED, 0, firstBits, 0, count);
    MemorySegment.copy(secondSumsAsMemory, ValueLayout.JAVA_INT_UNALIGNED, 0, secondBits, 0, count);
    for (int i = 0; i < count; i++) {
      pairs[i] = (rounded(firstBits[i]) >>> 16) | (rounded(secondBits[i]) & UPPER);
    }
    MemorySegment.copy(pairs, 0, sums, PAIR, at, count);
  }

  /**
   * Bits whose upper half is the nearest number of 16 bits, as {@link FloatType#toBf16} has it.
   * Without a branch: what is no number gets its quiet bit, and nothing is added to it.
   */
  private static int rounded(int bits) {
    int isNoNumber = (0x7f80_0000 - (bits & 0x7fff_ffff)) >> 31;
    int up = 0x7fff + (bits >>> 16 & 1);
    return (bits + (up & ~isNoNumber)) | (isNoNumber & 0x40_0000);
  }
}
