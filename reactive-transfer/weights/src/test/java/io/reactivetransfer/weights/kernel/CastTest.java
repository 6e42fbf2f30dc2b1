package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Bits;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every element of every cast, against what is computed one by one and without tricks; and what
 * vectors make of them.
 */
class CastTest {

  private static final DataType[] FLOATING = {
    DataType.FP32, DataType.BF16, DataType.FP16, DataType.FP8_E4M3, DataType.FP8_E5M2
  };

  /** A usual build looks around about each eighth value only of the types of 16 bits. */
  private static final boolean NIGHTLY = Integer.getInteger("reactivetransfer.rounds", 1) > 1;

  private static final PrepareFunction PLAIN = new StandardPrepare(() -> false);
  private static final PrepareFunction VECTORS = new StandardPrepare(() -> true);

  private static final DataType[] SCALED = {
    DataType.FP8_E4M3, DataType.FP8_E5M2, DataType.INT8, DataType.INT4
  };

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"BF16", "FP16", "FP8_E4M3", "FP8_E5M2"})
  void everyValueOfATypeIsCastToEveryOther(DataType from) {
    byte[] source = new byte[(1 << from.bits()) * from.bits() / 8];
    for (int i = 0; i < 1 << from.bits(); i++) {
      Bits.put(source, 0, i, from, i);
    }
    for (DataType to : FLOATING) {
      requireCast(source, from, to);
    }
  }

  @Test
  void valuesAroundEachValueOfOtherTypesAreRoundedToIt() {
    List<Integer> values = new ArrayList<>();
    Random random = new Random(7);
    for (DataType type : FLOATING) {
      for (int code = 0; type != DataType.FP32 && code < 1 << type.bits(); ) {
        float value = Bits.toFloat(code, type);
        // What lies half way between two values, and its neighbours, is where rounding goes wrong.
        float half = value + (Bits.toFloat(code ^ 1, type) - value) / 2;
        for (float one : new float[] {value, half}) {
          int bits = Float.floatToRawIntBits(one);
          values.addAll(List.of(bits - 1, bits, bits + 1));
        }
        code += type.bits() > 8 && !NIGHTLY ? 1 + random.nextInt(16) : 1;
      }
    }
    for (int i = 0; i < 50_000; i++) {
      values.add(random.nextInt());
    }
    byte[] source = new byte[values.size() * Float.BYTES];
    for (int i = 0; i < values.size(); i++) {
      Bits.put(source, 0, i, DataType.FP32, values.get(i));
    }
    for (DataType to : FLOATING) {
      requireCast(source, DataType.FP32, to);
    }
  }

  private static void requireCast(byte[] source, DataType from, DataType to) {
    int count = source.length * 8 / from.bits();
    byte[] output = new byte[count * to.bits() / 8];
    prepare(source, from, to, null, count, output, new byte[0]);
    for (int i = 0; i < count; i++) {
      int bits = Bits.get(source, 0, i, from);
      int expected = from == to ? bits : Bits.fromFloat(Bits.toFloat(bits, from), to);
      int got = Bits.get(output, 0, i, to);
      if (got != expected) {
        assertThat(Integer.toHexString(got))
            .as("%s %x to %s", from, bits, to)
            .isEqualTo(Integer.toHexString(expected));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FP32", "BF16", "FP16"})
  void unitsOfAnyMagnitudeAreQuantised(DataType from) {
    Random random = new Random(11);
    for (int round = 0; round < (NIGHTLY ? 800 : 200); round++) {
      int unit = 1 + random.nextInt(70);
      int count = 2 * (1 + random.nextInt(150));
      byte[] source = new byte[count * from.bits() / 8];
      int exponent = random.nextInt(-150, 128);
      for (int i = 0; i < count; i++) {
        float value = Math.scalb(random.nextFloat(-2, 2), exponent - random.nextInt(12));
        Bits.put(source, 0, i, from, Bits.fromFloat(value, from));
      }
      if (round % 4 == 0) {
        float[] odd = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0, -0f};
        int at = random.nextInt(count);
        Bits.put(source, 0, at, from, Bits.fromFloat(odd[random.nextInt(odd.length)], from));
      }
      for (DataType to : SCALED) {
        requireQuantised(source, from, to, unit, count);
      }
    }
  }

  private static void requireQuantised(
      byte[] source, DataType from, DataType to, int unit, int count) {
    byte[] output = new byte[count * to.bits() / 8];
    byte[] scales = new byte[Math.ceilDiv(count, unit) * Float.BYTES];
    prepare(source, from, to, Shape.of(Math.min(unit, count)), count, output, scales);
    for (int first = 0; first < count; first += unit) {
      float largest = 0;
      for (int i = first; i < Math.min(first + unit, count); i++) {
        largest = Math.max(largest, Math.abs(Bits.toFloat(Bits.get(source, 0, i, from), from)));
      }
      float scale = Bits.scale(largest, to);
      assertThat(Bits.get(scales, 0, first / unit, DataType.FP32))
          .as("scale of %s", largest)
          .isEqualTo(Float.floatToRawIntBits(scale));
      for (int i = first; i < Math.min(first + unit, count); i++) {
        float value = Bits.toFloat(Bits.get(source, 0, i, from), from);
        assertThat(Bits.get(output, 0, i, to))
            .as("%s of %s by %s to %s", value, from, scale, to)
            .isEqualTo(Bits.quantized(value, scale, to));
      }
    }
  }

  @Test
  void theSmallestNumbersAreNotLost() {
    byte[] source = new byte[16];
    Arrays.fill(source, 0, 8, (byte) 0);
    Bits.put(source, 0, 1, DataType.FP32, 1);
    Bits.put(source, 0, 3, DataType.FP32, 0x80000003);
    byte[] output = new byte[4];
    byte[] scales = new byte[4];
    prepare(source, DataType.FP32, DataType.INT8, Shape.of(4), 4, output, scales);
    assertThat(output).containsExactly(0, 1, 0, -3);
    assertThat(Bits.get(scales, 0, 0, DataType.FP32)).isEqualTo(1);
  }

  @Test
  void aThreadThatHasPreparedOnceAllocatesNothing() {
    byte[] source = new byte[1 << 16];
    new Random(3).nextBytes(source);
    byte[] output = new byte[1 << 15];
    PrepareTask block =
        task(
            source,
            DataType.BF16,
            DataType.INT8,
            Shape.of(128),
            1 << 15,
            output,
            new byte[1 << 10]);
    PrepareTask whole =
        task(source, DataType.BF16, DataType.FP8_E4M3, null, 1 << 15, output, new byte[0]);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    // Until it is compiled, a thread may take some bytes for that; so more than one look.
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 300 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      PrepareFunction.standard().prepare(block);
      PrepareFunction.standard().prepare(whole);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isZero();
  }

  private static void prepare(
      byte[] source,
      DataType from,
      DataType to,
      @Nullable Shape unit,
      int count,
      byte[] output,
      byte[] scales) {
    PLAIN.prepare(task(source, from, to, unit, count, output, scales));
    byte[] outputOfVectors = new byte[output.length];
    byte[] scalesOfVectors = new byte[scales.length];
    VECTORS.prepare(task(source, from, to, unit, count, outputOfVectors, scalesOfVectors));
    assertThat(Arrays.mismatch(outputOfVectors, output)).as("%s to %s", from, to).isEqualTo(-1);
    assertThat(scalesOfVectors).isEqualTo(scales);
  }

  private static PrepareTask task(
      byte[] source,
      DataType from,
      DataType to,
      @Nullable Shape unit,
      int count,
      byte[] output,
      byte[] scales) {
    Tensor tensor = new Tensor("w", to, Shape.of(count));
    Box box = Box.whole(tensor.shape());
    Input input = new Input(from, box, false, Place.of(0, 0, 1));
    Step.Prepare step = new Step.Prepare(0, 0, box, List.of(input), 0, 0, Runs.builder().build());
    return new PrepareTask(
        new TableTensor(tensor, 0, unit, unit == null ? -1 : 1),
        unit == null ? null : DataType.FP32,
        step,
        List.of(MemorySegment.ofArray(source)),
        MemorySegment.ofArray(output),
        MemorySegment.ofArray(scales));
  }
}
