package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * The same sums as those of {@link ArraySums}, bit by bit, with the JVM's vectors: what is read
 * goes through registers and nowhere else. Only loaded if {@link Vectors} says that it may be.
 *
 * <p>Two numbers of 16 bits that are the upper half of a float are one int. Of a vector of them one
 * shift and one mask make two vectors of floats: those of the even numbers and those of the odd
 * ones.
 */
final class VectorSums extends TokenSums {

  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorShuffle<Float> LOWER = VectorShuffle.makeZip(FLOATS, 0);
  private static final VectorShuffle<Float> UPPER = VectorShuffle.makeZip(FLOATS, 1);
  private static final int LANES = INTS.length();
  private static final int VECTOR_BYTES = LANES * Integer.BYTES;
  private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  private static final int UPPER_HALF = 0xffff_0000;

  VectorSums(FloatType from, FloatType to, int topK) {
    super(from, to, topK);
  }

  /** Whether there are such sums; others are taken by {@link ArraySums}. */
  static boolean canSum(FloatType from, FloatType to) {
    return from == FloatType.FP32
        ? to == FloatType.FP32
        : from == FloatType.BF16 && to != FloatType.FP16;
  }

  @Override
  void sum(MemorySegment results, int numbers, MemorySegment sums, long offset) {
    int done;
    if (from == FloatType.FP32) {
      done = sumFloats(results, numbers, sums, offset);
    } else if (to == FloatType.FP32) {
      done = sumPairsToFloats(results, numbers, sums, offset);
    } else {
      done = sumPairs(results, numbers, sums, offset);
    }
    for (int i = done; i < numbers; i++) { // less than is summed at once
      float sum = 0;
      for (int k = 0; k < topK; k++) {
        sum += weights[k] * from.get(results, at[k] + (long) i * from.bytes());
      }
      to.set(sums, offset + (long) i * to.bytes(), sum);
    }
  }

  // What is in fields is brought here, or it would be read again behind each number that is stored.
  private int sumFloats(MemorySegment results, int numbers, MemorySegment sums, long offset) {
    long[] begins = at;
    float[] factors = weights;
    int done = 0;
    for (; done <= numbers - LANES; done += LANES) {
      long begin = (long) done * Float.BYTES;
      FloatVector sum = FloatVector.zero(FLOATS);
      for (int k = 0; k < begins.length; k++) {
        sum = sum.add(floats(results, begins[k] + begin).mul(factors[k]));
      }
      sum.intoMemorySegment(sums, offset + begin, ORDER);
    }
    return done;
  }

  private static FloatVector floats(MemorySegment memory, long at) {
    return FloatVector.fromMemorySegment(FLOATS, memory, at, ORDER);
  }

  private static IntVector pairs(MemorySegment memory, long at) {
    return IntVector.fromMemorySegment(INTS, memory, at, ORDER);
  }

  private static FloatVector even(IntVector pairs) {
    return pairs.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
  }

  private static FloatVector odd(IntVector pairs) {
    return pairs.and(UPPER_HALF).reinterpretAsFloats();
  }

  private int sumPairs(MemorySegment results, int numbers, MemorySegment sums, long offset) {
    long[] begins = at;
    float[] factors = weights;
    int done = 0;
    for (; done <= numbers - 2 * LANES; done += 2 * LANES) {
      long begin = (long) done * Short.BYTES;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      for (int k = 0; k < begins.length; k++) {
        IntVector pairs = pairs(results, begins[k] + begin);
        even = even.add(even(pairs).mul(factors[k]));
        odd = odd.add(odd(pairs).mul(factors[k]));
      }
      together(even, odd).intoMemorySegment(sums, offset + begin, ORDER);
    }
    return done;
  }

  private int sumPairsToFloats(
      MemorySegment results, int numbers, MemorySegment sums, long offset) {
    long[] begins = at;
    float[] factors = weights;
    int done = 0;
    for (; done <= numbers - 2 * LANES; done += 2 * LANES) {
      long begin = (long) done * Short.BYTES;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      for (int k = 0; k < begins.length; k++) {
        IntVector pairs = pairs(results, begins[k] + begin);
        even = even.add(even(pairs).mul(factors[k]));
        odd = odd.add(odd(pairs).mul(factors[k]));
      }
      long there = offset + (long) done * Float.BYTES;
      even.rearrange(LOWER, odd).intoMemorySegment(sums, there, ORDER);
      even.rearrange(UPPER, odd).intoMemorySegment(sums, there + VECTOR_BYTES, ORDER);
    }
    return done;
  }

  private static IntVector together(FloatVector even, FloatVector odd) {
    return rounded(even.reinterpretAsInts())
        .lanewise(VectorOperators.LSHR, Short.SIZE)
        .or(rounded(odd.reinterpretAsInts()).and(UPPER_HALF));
  }

  /** As {@link FloatType#toBf16} has it, in the upper half, without a branch. */
  private static IntVector rounded(IntVector bits) {
    IntVector isNoNumber =
        bits.and(Integer.MAX_VALUE)
            .neg()
            .add(0x7f80_0000)
            .lanewise(VectorOperators.ASHR, Integer.SIZE - 1);
    IntVector up = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1).add(0x7fff);
    return bits.add(up.and(isNoNumber.not())).or(isNoNumber.and(0x40_0000));
  }
}
