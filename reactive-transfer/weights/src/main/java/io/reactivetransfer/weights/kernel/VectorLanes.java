package io.reactivetransfer.weights.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2B;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.MAX;
import static jdk.incubator.vector.VectorOperators.S2B;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * What {@link Lanes} does, with the Vector API: elements go from memory into registers, in order,
 * and from there to where they belong. Only for those who know that its module is there.
 *
 * <p>Each method takes a run of elements. It ends with a whole vector that begins in front of the
 * end of the one before, so a run has {@link #LANES} elements or more, or lies where as many can be
 * read or written.
 */
final class VectorLanes {

  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Short> ALL_SHORTS = ShortVector.SPECIES_PREFERRED;

  /** Elements of an int vector. */
  private static final int STEP = INTS.length();

  /** The fewest elements of a run: those of a vector of 16 bits each. */
  static final int LANES = 2 * STEP;

  /** As many shorts and bytes as there are ints in a vector. */
  private static final VectorSpecies<Short> SHORTS = part(short.class, 2);

  private static final VectorSpecies<Byte> BYTES = part(byte.class, 4);
  private static final VectorSpecies<Byte> HALF_OF_BYTES = part(byte.class, 2);

  private static final int ABSOLUTE = 0x7fffffff;
  private static final int INFINITY = 0x7f800000;
  private static final int MAGIC_BITS = 0x4b400000;

  private static final int NAN = 0x7fc00000;

  private VectorLanes() {}

  private static <E> VectorSpecies<E> part(Class<E> type, int of) {
    // Of no use and not refused where vectors are too short.
    int bits = Math.max(INTS.vectorBitSize() / of, 64);
    return VectorSpecies.of(type, VectorShape.forBitSize(bits));
  }

  /** Whether vectors are as long as this needs: with 128 bits, bytes would have too few. */
  static boolean areLongEnough() {
    return INTS.vectorBitSize() >= 256;
  }

  /** The largest absolute value, as bits: a NaN is larger than all others. */
  static int largest(int[] bits, int count) {
    int largest = 0;
    int last = count - count % STEP;
    IntVector all = IntVector.zero(INTS);
    for (int i = 0; i < last; i += STEP) {
      all = all.max(load(bits, i).and(ABSOLUTE));
    }
    for (int i = last; i < count; i++) {
      largest = Math.max(largest, bits[i] & ABSOLUTE);
    }
    return Math.max(largest, all.reduceLanes(MAX));
  }

  private static IntVector ints(MemorySegment from, long offset, int i) {
    return IntVector.fromMemorySegment(INTS, from, offset + 4L * i, LITTLE_ENDIAN);
  }

  // To the bits of FP32

  static void fromFp32(MemorySegment from, long offset, int[] to, int at, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      ints(from, offset, i).intoArray(to, at + i);
    }
    ints(from, offset, last).intoArray(to, at + last);
  }

  static void fromBf16(MemorySegment from, long offset, int[] to, int at, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      shorts(from, offset, i).lanewise(LSHL, 16).intoArray(to, at + i);
    }
    shorts(from, offset, last).lanewise(LSHL, 16).intoArray(to, at + last);
  }

  static void fromFp16(MemorySegment from, long offset, int[] to, int at, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      ofFp16(shorts(from, offset, i)).intoArray(to, at + i);
    }
    ofFp16(shorts(from, offset, last)).intoArray(to, at + last);
  }

  static void fromE4m3(MemorySegment from, long offset, int[] to, int at, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      ofE4m3(bytes(from, offset + i)).intoArray(to, at + i);
    }
    ofE4m3(bytes(from, offset + last)).intoArray(to, at + last);
  }

  static void fromE5m2(MemorySegment from, long offset, int[] to, int at, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      ofE5m2(bytes(from, offset + i)).intoArray(to, at + i);
    }
    ofE5m2(bytes(from, offset + last)).intoArray(to, at + last);
  }

  /** 16 bits each in an int of its own. */
  private static IntVector shorts(MemorySegment from, long offset, int i) {
    return (IntVector)
        ShortVector.fromMemorySegment(SHORTS, from, offset + 2L * i, LITTLE_ENDIAN)
            .convertShape(ZERO_EXTEND_S2I, INTS, 0);
  }

  /** 8 bits each in an int of its own. */
  private static IntVector bytes(MemorySegment from, long offset) {
    return (IntVector)
        ByteVector.fromMemorySegment(BYTES, from, offset, LITTLE_ENDIAN)
            .convertShape(ZERO_EXTEND_B2I, INTS, 0);
  }

  /** A NaN becomes a quiet one. */
  private static IntVector ofFp16(IntVector halves) {
    IntVector absolute = halves.and(0x7fff).lanewise(LSHL, 13);
    IntVector finite = finite(absolute, 0x38000000);
    IntVector endless = finite.blend(finite.or(INFINITY), absolute.compare(GT, 0x0f7fffff));
    IntVector all = endless.blend(endless.or(0x00400000), absolute.compare(GT, 0x0f800000));
    return all.or(halves.and(0x8000).lanewise(LSHL, 16));
  }

  private static IntVector ofE4m3(IntVector codes) {
    IntVector absolute = codes.and(0x7f).lanewise(LSHL, 20);
    IntVector finite = finite(absolute, 0x3c000000);
    IntVector all = finite.blend(NAN, absolute.compare(GT, 0x07e00000));
    return all.or(codes.and(0x80).lanewise(LSHL, 24));
  }

  private static IntVector ofE5m2(IntVector codes) {
    IntVector absolute = codes.and(0x7f).lanewise(LSHL, 21);
    IntVector finite = finite(absolute, 0x38000000);
    IntVector endless = finite.blend(INFINITY, absolute.compare(GT, 0x0f7fffff));
    IntVector all = endless.blend(NAN, absolute.compare(GT, 0x0f800000));
    return all.or(codes.and(0x80).lanewise(LSHL, 24));
  }

  /**
   * Finite numbers whose exponent has another bias; a subnormal one is what the least normal one
   * lacks.
   */
  private static IntVector finite(IntVector absolute, int bias) {
    int least = bias + 0x00800000;
    FloatVector both = absolute.add(least).reinterpretAsFloats();
    IntVector subnormal = bits(both.sub(Float.intBitsToFloat(least)));
    return absolute.add(bias).blend(subnormal, absolute.compare(LT, 0x00800000));
  }

  private static IntVector bits(FloatVector values) {
    return values.reinterpretAsInts();
  }

  // From the bits of FP32

  static void toFp32(int[] from, int at, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      load(from, at + i).intoMemorySegment(to, offset + 4L * i, LITTLE_ENDIAN);
    }
    load(from, at + last).intoMemorySegment(to, offset + 4L * last, LITTLE_ENDIAN);
  }

  static void toBf16(int[] from, int at, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      putShorts(bf16(load(from, at + i)), to, offset, i);
    }
    putShorts(bf16(load(from, at + last)), to, offset, last);
  }

  static void toFp16(int[] from, int at, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      putShorts(fp16(load(from, at + i)), to, offset, i);
    }
    putShorts(fp16(load(from, at + last)), to, offset, last);
  }

  static void toE4m3(int[] from, int at, float by, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      putBytes(e4m3(floats(from, at + i).div(by)), to, offset + i);
    }
    putBytes(e4m3(floats(from, at + last).div(by)), to, offset + last);
  }

  static void toE5m2(int[] from, int at, float by, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      putBytes(e5m2(floats(from, at + i).div(by)), to, offset + i);
    }
    putBytes(e5m2(floats(from, at + last).div(by)), to, offset + last);
  }

  /** Integers from {@code -most} to {@code most}, a byte each. */
  static void toInteger(
      int[] from, int at, float by, int most, MemorySegment to, long offset, int count) {
    int last = Math.max(count - STEP, 0);
    for (int i = 0; i < last; i += STEP) {
      putBytes(integer(floats(from, at + i).div(by), most), to, offset + i);
    }
    putBytes(integer(floats(from, at + last).div(by), most), to, offset + last);
  }

  /** The low halves of two bytes, in one byte. */
  static void pairNibbles(MemorySegment from, byte[] to, int count) {
    for (int i = 0; i < count; i += LANES) {
      ShortVector pairs = ShortVector.fromMemorySegment(ALL_SHORTS, from, 2L * i, LITTLE_ENDIAN);
      ShortVector low = pairs.and((short) 0xf);
      ShortVector high = pairs.lanewise(LSHR, 4).and((short) 0xf0);
      ((ByteVector) low.or(high).convertShape(S2B, HALF_OF_BYTES, 0)).intoArray(to, i);
    }
  }

  private static IntVector load(int[] from, int at) {
    return IntVector.fromArray(INTS, from, at);
  }

  private static FloatVector floats(int[] from, int at) {
    return load(from, at).reinterpretAsFloats();
  }

  private static void putShorts(IntVector codes, MemorySegment to, long offset, int i) {
    Vector<Short> narrow = codes.convertShape(I2S, SHORTS, 0);
    narrow.intoMemorySegment(to, offset + 2L * i, LITTLE_ENDIAN);
  }

  private static void putBytes(IntVector codes, MemorySegment to, long offset) {
    Vector<Byte> narrow = codes.convertShape(I2B, BYTES, 0);
    narrow.intoMemorySegment(to, offset, LITTLE_ENDIAN);
  }

  // One vector; see Lanes for what is done and why

  private static IntVector bf16(IntVector one) {
    IntVector upper = one.lanewise(LSHR, 16);
    IntVector rounded = one.add(0x7fff).add(upper.and(1)).lanewise(LSHR, 16);
    return rounded.blend(upper.or(0x40), isNan(one.and(ABSOLUTE)));
  }

  private static IntVector fp16(IntVector one) {
    IntVector absolute = one.and(ABSOLUTE);
    // The limit is infinity, to which numbers half way between it and the largest one are rounded.
    IntVector normal = absolute.min(0x47800000).max(0x38800000);
    IntVector code = normal.add(0xfff).add(normal.lanewise(LSHR, 13).and(1)).lanewise(LSHR, 13);
    IntVector units = units(absolute.reinterpretAsFloats(), 0x1p24f, 1_024);
    IntVector number = code.add(units).sub(0x1c400);
    IntVector nan = absolute.lanewise(LSHR, 13).and(0x3ff).or(0x7e00);
    return number.blend(nan, isNan(absolute)).or(one.lanewise(LSHR, 16).and(0x8000));
  }

  private static IntVector e4m3(FloatVector value) {
    IntVector one = bits(value);
    IntVector absolute = one.and(ABSOLUTE);
    IntVector normal = absolute.min(0x43e00000).max(0x3c800000);
    IntVector code = normal.add(0x7ffff).add(normal.lanewise(LSHR, 20).and(1)).lanewise(LSHR, 20);
    IntVector units = units(absolute.reinterpretAsFloats(), 512, 8);
    return fp8(one, absolute, code.add(units).sub(968));
  }

  private static IntVector e5m2(FloatVector value) {
    IntVector one = bits(value);
    IntVector absolute = one.and(ABSOLUTE);
    IntVector normal = absolute.min(0x47600000).max(0x38800000);
    IntVector code = normal.add(0xfffff).add(normal.lanewise(LSHR, 21).and(1)).lanewise(LSHR, 21);
    IntVector units = units(absolute.reinterpretAsFloats(), 65_536, 4);
    return fp8(one, absolute, code.add(units).sub(452));
  }

  private static IntVector fp8(IntVector one, IntVector absolute, IntVector number) {
    IntVector signed = number.or(one.lanewise(LSHR, 24).and(0x80));
    return signed.blend(0x7f, isNan(absolute));
  }

  /** How many units of the least number a value is, at most so many. */
  private static IntVector units(FloatVector absolute, float unitsOfOne, int most) {
    return bits(absolute.mul(unitsOfOne).add(Lanes.MAGIC)).sub(MAGIC_BITS).min(most);
  }

  private static IntVector integer(FloatVector value, int most) {
    IntVector sum = bits(value.add(Lanes.MAGIC));
    IntVector number = sum.sub(MAGIC_BITS).min(most).max(-most);
    return number.blend(0, isNan(sum.and(ABSOLUTE)));
  }

  private static VectorMask<Integer> isNan(IntVector absolute) {
    return absolute.compare(GT, INFINITY);
  }
}
