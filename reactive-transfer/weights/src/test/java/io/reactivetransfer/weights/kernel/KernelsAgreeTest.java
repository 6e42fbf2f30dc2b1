package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.weights.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Vectors and plain loops make the same bits of the same tile, however it lies in memory. */
class KernelsAgreeTest {

  private static final int ROUNDS = 60 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int BYTES = 1 << 16;

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
    int columns = random.nextInt(4) == 0 ? 512 + random.nextInt(200) : 1 + random.nextInt(70);
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
