package io.reactivetransfer.moe;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
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
 *
 * <p>Each kind of numbers has a loop in a class of its own. With all of them in one method that
 * method is too large for the second compiler: it does not go on to inline vectors in it, and each
 * becomes an object. So do those that are given to a call which may go to either of two classes,
 * and that is why the two loops over pairs do not share all but how they store.
 */
abstract class VectorSums extends TokenSums {

  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final VectorShuffle<Float> LOWER = VectorShuffle.makeZip(FLOATS, 0);
  private static final VectorShuffle<Float> UPPER = VectorShuffle.makeZip(FLOATS, 1);
  private static final int LANES = INTS.length();
  private static final int VECTOR_BYTES = LANES * Integer.BYTES;
  private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  private static final int UPPER_HALF = 0xffff_0000;

  private VectorSums(FloatType from, FloatType to, int topK) {
    super(from, to, topK);
  }

  /** Whether there are such sums; others are taken by {@link ArraySums}. */
  static boolean canSum(FloatType from, FloatType to) {
    return from == FloatType.FP32
        ? to == FloatType.FP32
        : from == FloatType.BF16 && to != FloatType.FP16;
  }

  /** Those of one kind, which {@link #canSum} knows. */
  static VectorSums of(FloatType from, FloatType to, int topK) {
    if (from == FloatType.FP32) {
      return new Floats(topK);
    }
    return to == FloatType.FP32 ? new PairsToFloats(topK) : new Pairs(topK);
  }

  @Override
  final void sum(MemorySegment results, int numbers, MemorySegment sums, long offset) {
    for (int i = sumVectors(results, numbers, sums, offset); i < numbers; i++) {
      float sum = 0;
      for (int k = 0; k < topK; k++) {
        sum += weights[k] * from.get(results, at[k] + (long) i * from.bytes());
      }
      to.set(sums, offset + (long) i * to.bytes(), sum);
    }
  }

  /**
   * Sums up what fills vectors. Implementations bring what is in fields to variables, or it would
   * be read again behind each number that is stored.
   *
   * @return how many numbers are done
   */
  abstract int sumVectors(MemorySegment results, int numbers, MemorySegment sums, long offset);

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

  private static IntVector together(FloatVector even, FloatVector odd) {
    return rounded(even)
        .lanewise(VectorOperators.LSHR, Short.SIZE)
        .or(rounded(odd).and(UPPER_HALF));
  }

  /** As {@link FloatType#toBf16} has it, in the upper half. */
  private static IntVector rounded(FloatVector numbers) {
    VectorMask<Integer> areNone = numbers.compare(VectorOperators.NE, numbers).cast(INTS);
    IntVector bits = numbers.reinterpretAsInts();
    IntVector up = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1).add(0x7fff);
    return bits.add(up).blend(bits.or(0x40_0000), areNone);
  }

  private static final class Floats extends VectorSums {

    Floats(int topK) {
      super(FloatType.FP32, FloatType.FP32, topK);
    }

    @Override
    int sumVectors(MemorySegment results, int numbers, MemorySegment sums, long offset) {
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
  }

  private static final class Pairs extends VectorSums {

    Pairs(int topK) {
      super(FloatType.BF16, FloatType.BF16, topK);
    }

    @Override
    int sumVectors(MemorySegment results, int numbers, MemorySegment sums, long offset) {
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
  }

  private static final class PairsToFloats extends VectorSums {

    PairsToFloats(int topK) {
      super(FloatType.BF16, FloatType.FP32, topK);
    }

    @Override
    int sumVectors(MemorySegment results, int numbers, MemorySegment sums, long offset) {
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
  }
}
