package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.engine.base.WireImm;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Every length around each boundary, 1 to 8 ways. */
class ShardingTest {

  private static final long[] MIN = {1, 100, 4_096, 65_536};
  private static final long[] MAX = {1, 7, 4_095, 4_096, 4_097, 65_536, 1 << 20, Long.MAX_VALUE};

  private static void check(long length, int ways, long min, long max) {
    long bytes = Sharding.pieceBytes(length, ways, min, max);
    long pieces = Sharding.pieces(length, bytes);
    String what = "length " + length + ", " + ways + " ways, min " + min + ", max " + max;
    if (length == 0) {
      require(pieces == 1 && bytes == 0, what);
      return;
    }
    // piece i begins at i * bytes, the last one is the rest: so this is to cover without overlap
    require(bytes >= 1 && bytes <= max, what);
    require(pieces >= 1 && (pieces - 1) * bytes < length, what);
    require(length - (pieces - 1) * bytes <= bytes, what);
    if (max >= length) {
      require(pieces <= ways, what + ": no more pieces than NICs, if they may be so long");
    }
    if (pieces > 1 && bytes < max) {
      require(bytes >= min, what + ": not spread thinner than that");
    }
    int counted = Sharding.countedPieces(pieces);
    require(counted >= 1 && counted <= 8 && counted <= pieces, what);
    int wire = WireImm.encode(5, counted);
    require(counted * WireImm.shares(wire) == 840, what);
  }

  /** By hand, because it is called some hundred thousand times. */
  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  @Test
  void piecesCoverTheLengthOnceAndSharesAddUp() {
    for (int ways = 1; ways <= 8; ways++) {
      for (long min : MIN) {
        for (long max : MAX) {
          for (long length : boundaries(ways, min, max)) {
            check(length, ways, min, max);
          }
        }
      }
    }
  }

  private static TreeSet<Long> boundaries(int ways, long min, long max) {
    TreeSet<Long> lengths = new TreeSet<>();
    for (long base : new long[] {0, 1, min, max, 4_096, min * ways, 4_096L * ways, 1 << 20}) {
      for (int times : new int[] {1, 2, 7, 8, 9}) {
        for (int off = -2; off <= 2; off++) {
          long length = base > Long.MAX_VALUE / times ? base - 2 + off : base * times + off;
          if (length >= 0) {
            lengths.add(length);
          }
        }
      }
    }
    return lengths;
  }

  @Test
  void allSmallLengths() {
    for (int ways = 1; ways <= 8; ways++) {
      for (long length = 0; length < 600; length++) {
        check(length, ways, 1, 1);
        check(length, ways, 1, 3);
        check(length, ways, 5, 64);
        check(length, ways, 64, 64);
        check(length, ways, 64, Long.MAX_VALUE);
      }
    }
  }

  @Test
  void anyArguments() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      long length = random.nextLong(1L << (1 + random.nextInt(62)));
      long min = 1 + random.nextLong(1L << (1 + random.nextInt(40)));
      long max = 1 + random.nextLong(1L << (1 + random.nextInt(62)));
      try {
        check(length, 1 + random.nextInt(8), min, max);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void theLongestLengthsDoNotOverflow() {
    for (int ways = 1; ways <= 8; ways++) {
      for (long length = Long.MAX_VALUE - 3; length > 0; length++) {
        check(length, ways, 1, Long.MAX_VALUE);
        check(length, ways, Long.MAX_VALUE, Long.MAX_VALUE);
        check(length, ways, 65_536, 1L << 40);
      }
    }
  }

  @Test
  void aShortWriteIsNotSpread() {
    for (int ways = 1; ways <= 8; ways++) {
      assertThat(Sharding.pieceBytes(65_536, ways, 65_536, 1 << 20)).isEqualTo(65_536);
      assertThat(Sharding.pieceBytes(10, ways, 65_536, 1 << 20)).isEqualTo(10);
    }
  }

  @Test
  void aLongWriteIsSpreadEvenlyOverAllNics() {
    for (int ways = 2; ways <= 8; ways++) {
      long length = ways * 100L * 4_096;
      assertThat(Sharding.pieceBytes(length, ways, 65_536, 1 << 30)).isEqualTo(100 * 4_096);
    }
  }

  @Test
  void piecesBeginOnPageBoundariesWherePossible() {
    for (int ways = 2; ways <= 8; ways++) {
      for (long length = 300_000; length < 300_100; length++) {
        assertThat(Sharding.pieceBytes(length, ways, 1, 1 << 20) % 4_096).isZero();
      }
    }
  }
}
