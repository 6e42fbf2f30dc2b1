package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite.Rows;
import io.reactivetransfer.spi.Operation;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Any rows, over NICs of any limits. */
class RowCutTest {

  private static final long FROM = 1_000;
  private static final long TO = 50_000;

  private static void check(Rows rows, int maxRows, long maxPiece) {
    RowCut cut = new RowCut().cut(rows, maxRows, maxPiece);
    int[] all = IntStream.range(0, rows.count()).toArray();
    check(cut, all, rows, maxRows, maxPiece);
    assertThat(cut.sourceExtent()).isEqualTo(rows.sourceExtent());
  }

  /** These rows of the source, which are as long and as far apart as those of a page. */
  private static void check(RowCut cut, int[] listed, Rows rows, int maxRows, long maxPiece) {
    Operation op = new Operation();
    Map<Long, Long> bytes = new HashMap<>();
    long longest = 0;
    for (long piece = 0; piece < cut.pieces(); piece++) {
      cut.describe(op, piece, FROM, TO);
      longest = Math.max(longest, op.length());
      assertThat(op.rows()).isBetween(1, maxRows);
      assertThat(op.length()).isBetween(1L, maxPiece);
      for (int row = 0; row < op.rows(); row++) {
        for (long at = 0; at < op.rowLength(); at++) {
          long source = op.localOffset(row) + at;
          long target = op.remoteOffset() + (row == 0 ? 0 : row * op.remoteStride()) + at;
          assertThat(bytes.put(target, source)).as("byte %d is written once", target).isNull();
        }
      }
    }
    Map<Long, Long> expected = new HashMap<>();
    for (int row = 0; row < listed.length; row++) {
      for (long at = 0; at < rows.length(); at++) {
        expected.put(
            TO + row * rows.targetStride() + at, FROM + listed[row] * rows.sourceStride() + at);
      }
    }
    assertThat(bytes).isEqualTo(expected);
    assertThat(cut.pieceBytes()).isEqualTo(longest);
    long pieces = cut.pieces();
    assertThat(cut.countedPieces()).isEqualTo(pieces <= 8 ? (int) pieces : 1);
    assertThat(cut.bytes()).isEqualTo(listed.length * rows.length());
    assertThat(cut.targetExtent()).isEqualTo(rows.targetExtent());
  }

  @Test
  void piecesAreRowsOrPartsOfOne() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 3_000; i++) {
      long length = 1 + random.nextInt(20);
      Rows rows =
          new Rows(
              1 + random.nextInt(30), length, 1 + random.nextInt(40), length + random.nextInt(30));
      try {
        check(rows, 1 + random.nextInt(random.nextBoolean() ? 3 : 40), 1 + random.nextInt(100));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", " + rows, e);
      }
    }
  }

  /** One cut after another, of any size, as for those who write. */
  @Test
  void piecesOfRowsThatAreGatheredAreThoseOfTheListInItsOrder() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    RowCut cut = new RowCut();
    for (int i = 0; i < 3_000; i++) {
      long length = 1 + random.nextInt(20);
      int count = 1 + random.nextInt(random.nextBoolean() ? 5 : 40);
      Rows rows = new Rows(count, length, 1 + random.nextInt(40), length + random.nextInt(30));
      int[] listed = random.ints(count, 0, 1 + random.nextInt(50)).toArray();
      GatherList list = GatherList.of(length, rows.sourceStride(), rows.targetStride());
      for (int row : listed) {
        list.add(row);
      }
      int maxRows = 1 + random.nextInt(random.nextBoolean() ? 3 : 40);
      long maxPiece = 1 + random.nextInt(100);
      try {
        cut.cut(list, count, maxRows, maxPiece, 1, 1);
        assertThat(cut.sourceExtent()).isEqualTo(list.sourceExtent());
        list.clear().addRange(60, random.nextInt(50)); // it may be filled again
        check(cut, listed, rows, maxRows, maxPiece);
        if (random.nextInt(4) == 0) {
          cut.cut(rows, maxRows, maxPiece); // nor is anything left for a page
          check(cut, IntStream.range(0, count).toArray(), rows, maxRows, maxPiece);
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", " + list, e);
      }
    }
  }

  @Test
  void aPieceOfOneRowIsARange() {
    GatherList list = GatherList.of(10, 100, 20).add(5).add(3).add(5);
    Operation op = new Operation();
    RowCut cut = new RowCut().cut(list, 3, 2, 1_000, 1, 1);
    cut.describe(op, 0, FROM, TO);
    assertThat(op.isGathered()).isTrue();
    cut.describe(op, 1, FROM, TO);
    assertThat(op.isGathered()).isFalse();
    assertThat(op.localOffset()).isEqualTo(FROM + 500);
    assertThat(op.remoteOffset()).isEqualTo(TO + 40);
    assertThat(op.length()).isEqualTo(10);
  }

  /** It was cleared, or filled with others, between the question how long it is and the copy. */
  @Test
  void ofAListThatIsChangedMeanwhileThereAreAsManyRowsAsItHad() {
    GatherList list = GatherList.of(10, 100, 20).addRange(0, 100).clear().add(7);
    RowCut cut = new RowCut().cut(list, 120, 4, 1_000, 1, 1);
    assertThat(cut.pieces()).isEqualTo(30);
    assertThat(cut.bytes()).isEqualTo(1_200);
    assertThat(cut.sourceExtent()).isEqualTo(99 * 100 + 10);
  }

  @Test
  void aListThatIsTooLongTakesAllThereIs() {
    long half = Long.MAX_VALUE / 2;
    GatherList list = GatherList.of(half, half, half + 1).add(2).add(0);
    RowCut cut = new RowCut().cut(list, 2, 9, Long.MAX_VALUE, 1, 1);
    assertThat(cut.sourceExtent()).isEqualTo(Long.MAX_VALUE);
    assertThat(cut.targetExtent()).isEqualTo(Long.MAX_VALUE);
    GatherList last = GatherList.of(1, 1L << 31, 1).add(Integer.MAX_VALUE);
    assertThat(new RowCut().cut(last, 1, 9, 9, 1, 1).sourceExtent())
        .isEqualTo(((long) Integer.MAX_VALUE << 31) + 1);
  }

  @Test
  void aPageOfAsManyRowsAsANicTakesIsOnePiece() {
    Rows rows = new Rows(8, 100, 1_000, 100);
    assertThat(new RowCut().cut(rows, 8, 800).pieces()).isEqualTo(1);
    assertThat(new RowCut().cut(rows, 7, 800).pieces()).isEqualTo(2);
    assertThat(new RowCut().cut(rows, 8, 799).pieces()).isEqualTo(2);
    assertThat(new RowCut().cut(rows, 1, 800).pieces()).isEqualTo(8);
    assertThat(new RowCut().cut(rows, 8, 99).pieces()).isEqualTo(16);
  }

  @Test
  void theLongestRowsDoNotOverflow() {
    long half = Long.MAX_VALUE / 2;
    Rows rows = new Rows(2, half, half, half + 1);
    RowCut cut = new RowCut().cut(rows, Integer.MAX_VALUE, Long.MAX_VALUE);
    assertThat(cut.pieces()).isEqualTo(1);
    assertThat(cut.pieceBytes()).isEqualTo(2 * half);
    Rows many = new Rows(Integer.MAX_VALUE, 1, 1, 2);
    assertThat(new RowCut().cut(many, 1, Long.MAX_VALUE).pieces()).isEqualTo(Integer.MAX_VALUE);
    assertThat(new RowCut().cut(new Rows(3, 1L << 40, 1, 1L << 40), 9, 1).pieces())
        .isEqualTo(3L << 40);
    assertThat(new RowCut().cut(rows, 9, 7).pieceBytes()).isEqualTo(7);
  }

  @Test
  void aListThatIsClearedWhileItIsTakenOverIsAsLongAsItWas() {
    GatherList list = GatherList.of(8, 10, 16).addRange(20, 3);
    int size = list.size();
    RowCut cut = new RowCut().cut(list.clear(), size, 2, 64, 1, 1);
    assertThat(cut.pieces()).isEqualTo(2);
    assertThat(cut.bytes()).isEqualTo(24);
    assertThat(cut.sourceExtent()).isEqualTo(22 * 10 + 8);
    assertThat(cut.targetExtent()).isEqualTo(2 * 16 + 8);
  }

  @Test
  void rowsOfAListAreSpreadOverNicsByWholeRows() {
    GatherList list = GatherList.of(4_096, 4_096, 4_096).addRange(5, 10);
    RowCut cut = new RowCut().cut(list, 10, 100, 1 << 20, 4, 4_096);
    assertThat(cut.pieces()).isEqualTo(4);
    assertThat(cut.pieceBytes()).isEqualTo(3 * 4_096);
    assertThat(new RowCut().cut(list, 10, 100, 1 << 20, 4, 1 << 20).pieces())
        .as("of too few bytes to be spread")
        .isEqualTo(1);
    GatherList odd = GatherList.of(5_000, 5_000, 5_000).addRange(0, 100);
    for (int ways = 1; ways <= 8; ways++) {
      RowCut spread = new RowCut().cut(odd, 100, 100, 1 << 20, ways, 4_096);
      assertThat(spread.pieces()).isBetween(Math.min(ways, 2L), (long) ways);
      assertThat(spread.pieceBytes() % 5_000).isZero();
    }
  }
}
