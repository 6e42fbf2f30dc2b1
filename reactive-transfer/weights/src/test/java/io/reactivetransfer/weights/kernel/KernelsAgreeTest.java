package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Place;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Tensor;
import io.reactivetransfer.weights.plan.Input;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Vectors and plain loops make the same bits of the same tile, however it lies in memory. */
class KernelsAgreeTest {

  private static final int ROUNDS = 60 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int BYTES = 1 << 17;

  /** Where rounding, overflow and subnormals go wrong, as bits of FP32. */
  private static final int[] EDGES = {
    0,
    1,
    0x007fffff,
    0x00800000,
    0x33000000,
    0x33000001,
    0x33800000,
    0x387fe000,
    0x387ff000,
    0x38800000,
    0x3a800000,
    0x3b000000,
    0x3c7fffff,
    0x3c800000,
    0x3f800000,
    0x3f880000,
    0x40e80000,
    0x42fe0000,
    0x43080000,
    0x43e00000,
    0x43e80000,
    0x477fefff,
    0x477ff000,
    0x47600000,
    0x7f7f8000,
    0x7f7fffff,
    0x7f800000,
    0x7f800001,
    0x7f801000,
    0x7fbfffff,
    0x7fc00000,
    0x7fffffff
  };

  private final Walk walk = new Walk();

  @Test
  void tilesOfAllKindsAreConvertedAlike() {
    requireAlike(new VectorTile(new Tile()));
  }

  @Test
  void wholeStepsAreMadeAlike() {
    Random random = new Random(9);
    for (int round = 0; round < ROUNDS; round++) {
      DataType from = DataType.values()[random.nextInt(5)];
      DataType to = DataType.values()[random.nextInt(7)];
      boolean isQuantized = to.isQuantized() && (!to.isFloating() || random.nextBoolean());
      long rows = 1 + random.nextInt(150);
      long columns = 2 * (1 + random.nextInt(75));
      Shape unit =
          !isQuantized
              ? null
              : random.nextBoolean()
                  ? Shape.of(1, columns)
                  : Shape.of(Math.min(rows, 128), Math.min(columns, 128));
      if (!isQuantized || from.bits() > to.bits()) {
        requireAlike(new Tensor("w", to, Shape.of(rows, columns)), unit, from, random);
      }
    }
  }

  private static void requireAlike(
      Tensor tensor, @Nullable Shape unit, DataType from, Random random) {
    Box box = Box.whole(tensor.shape());
    long rows = box.size(0);
    long columns = box.size(1);
    Place place = random.nextBoolean() ? Place.of(0, 0, columns, 1) : Place.of(0, 0, 1, rows);
    MemorySegment source = array();
    fill(source, from, random);
    TableTensor entry = new TableTensor(tensor, 0, unit, unit == null ? -1 : 1);
    List<Input> inputs = List.of(new Input(from, box, false, place));
    Step.Prepare step = new Step.Prepare(0, 0, box, inputs, 0, 0, Runs.builder().build());
    byte[][] made = new byte[4][];
    for (int way = 0; way < 2; way++) {
      boolean withVectors = way == 1;
      byte[] output = new byte[Math.toIntExact(tensor.bytes())];
      long units =
          unit == null ? 0 : Math.ceilDiv(rows, unit.size(0)) * Math.ceilDiv(columns, unit.size(1));
      byte[] scales = new byte[Math.toIntExact(units * Float.BYTES)];
      new StandardPrepare(() -> withVectors)
          .prepare(
              new PrepareTask(
                  entry,
                  unit == null ? null : DataType.FP32,
                  step,
                  List.of(source),
                  MemorySegment.ofArray(output),
                  MemorySegment.ofArray(scales)));
      made[2 * way] = output;
      made[2 * way + 1] = scales;
    }
    assertThat(made[2]).as("%s of %s by %s", tensor, from, unit).isEqualTo(made[0]);
    assertThat(made[3]).as("scales of %s of %s", tensor, from).isEqualTo(made[1]);
  }

  @Test
  void aDifferenceOfOneBitIsFound() {
    Kernels wrong =
        new Saboteur() {
          @Override
          public void convertLast(DataType to, float scale, MemorySegment target, Walk walk) {
            super.convertLast(to, scale, target, walk);
            long last = target.byteSize() - 1;
            int now = target.get(ValueLayout.JAVA_BYTE, last);
            target.set(ValueLayout.JAVA_BYTE, last, (byte) (now ^ 1));
          }
        };
    assertThatThrownBy(() -> requireAlike(wrong)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aScaleThatIsMultipliedByIsFound() {
    Kernels wrong =
        new Saboteur() {
          @Override
          public void convertLast(DataType to, float scale, MemorySegment target, Walk walk) {
            super.convertLast(to, Math.nextUp(scale), target, walk);
          }
        };
    assertThatThrownBy(() -> requireAlike(wrong)).isInstanceOf(AssertionError.class);
  }

  @Test
  void aTailThatIsLeftOutOfTheLargestIsFound() {
    Kernels wrong =
        new Saboteur() {
          @Override
          public int largest(DataType type, MemorySegment source, long offset, Walk walk) {
            walk.columns--;
            int largest = super.largest(type, source, offset, walk);
            walk.columns++;
            return largest;
          }
        };
    assertThatThrownBy(() -> requireAlike(wrong)).isInstanceOf(AssertionError.class);
  }

  private void requireAlike(Kernels vectors) {
    Random random = new Random(5);
    Kernels plain = new Tile();
    try (Arena arena = Arena.ofConfined()) {
      for (int round = 0; round < ROUNDS; round++) {
        for (DataType from : DataType.values()) {
          for (DataType to : DataType.values()) {
            if (from.isFloating() && from != to) {
              boolean isNative = random.nextInt(3) > 0;
              MemorySegment source = isNative ? arena.allocate(BYTES) : array();
              fill(source, from, random);
              requireAlike(plain, vectors, from, source, to, isNative, arena, random);
            }
          }
        }
      }
    }
  }

  private static MemorySegment array() {
    return MemorySegment.ofArray(new byte[BYTES]);
  }

  private void requireAlike(
      Kernels plain,
      Kernels vectors,
      DataType from,
      MemorySegment source,
      DataType to,
      boolean isNative,
      Arena arena,
      Random random) {
    // Some are long enough for rows to be taken where they lie; packed rows have even lengths.
    int columns = random.nextInt(4) == 0 ? 512 + random.nextInt(200) : 1 + random.nextInt(140);
    columns += to.isPacked() ? columns % 2 : 0;
    int rows = 1 + random.nextInt(Math.min(9, 2_000 / columns));
    int pitch = columns + 2 * random.nextInt(3);
    boolean isAcross = random.nextInt(3) == 0;
    walk.begin(random.nextInt(3), 2 * random.nextInt(2));
    walk.dimension(rows, isAcross ? 1 : pitch, pitch);
    walk.dimension(columns, isAcross ? rows + random.nextInt(3) : 1, 1);
    walk.start(Tile.CAPACITY);
    float scale = random.nextInt(3) == 0 ? 1 : Float.intBitsToFloat(bits(random) & 0x7fffffff);
    MemorySegment expected = isNative ? arena.allocate(BYTES) : array();
    MemorySegment got = isNative ? arena.allocate(BYTES) : array();
    long offset = random.nextInt(3);
    while (walk.next()) {
      Float largest = Float.intBitsToFloat(plain.largest(from, source, offset, walk));
      assertThat(Float.intBitsToFloat(vectors.largest(from, source, offset, walk)))
          .isEqualTo(largest);
      plain.convertLast(to, scale, expected, walk);
      vectors.convertLast(to, scale, got, walk);
      long at = expected.mismatch(got);
      assertThat(at).as("%s to %s by %s, first difference", from, to, scale).isEqualTo(-1);
      vectors.convert(from, source, offset, to, scale, got, walk);
      assertThat(expected.mismatch(got)).as("%s to %s at once", from, to).isEqualTo(-1);
    }
  }

  private static void fill(MemorySegment source, DataType type, Random random) {
    for (int i = 0; i < BYTES / 4; i++) {
      int bits = bits(random);
      switch (type) {
        case FP32 -> source.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, bits);
        case BF16 -> source.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, (short) (bits >> 16));
        case FP16 ->
            source.setAtIndex(
                ValueLayout.JAVA_SHORT_UNALIGNED,
                i,
                random.nextBoolean()
                    ? (short) bits
                    : Float.floatToFloat16(Float.intBitsToFloat(bits)));
        default -> source.set(ValueLayout.JAVA_BYTE, i, (byte) (bits >> 20));
      }
    }
  }

  /** Edges, anything, or a usual value. */
  private static int bits(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)] | random.nextInt(2) << 31;
      case 1 -> random.nextInt();
      default -> Float.floatToRawIntBits(random.nextFloat(-3, 3));
    };
  }

  /** Does all as vectors do, but for what is overridden. */
  private static class Saboteur implements Kernels {

    private final Kernels right = new VectorTile(new Tile());

    @Override
    public int capacity() {
      return right.capacity();
    }

    @Override
    public int largest(DataType type, MemorySegment source, long offset, Walk walk) {
      return right.largest(type, source, offset, walk);
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
      right.convert(from, source, offset, to, scale, target, walk);
    }

    @Override
    public void convertLast(DataType to, float scale, MemorySegment target, Walk walk) {
      right.convertLast(to, scale, target, walk);
    }
  }
}
