package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite.Rows;
import io.reactivetransfer.spi.Operation;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any rows, over NICs of any limits. */
class RowCutTest {

  private static final long FROM = 1_000;
  private static final long TO = 50_000;

  private static void check(Rows rows, int maxRows, long maxPiece) {
    RowCut cut = new RowCut().cut(rows, maxRows, maxPiece);
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
          long source = op.localOffset() + (row == 0 ? 0 : row * op.localStride()) + at;
          long target = op.remoteOffset() + (row == 0 ? 0 : row * op.remoteStride()) + at;
          assertThat(bytes.put(target, source)).as("byte %d is written once", target).isNull();
        }
      }
    }
    Map<Long, Long> expected = new HashMap<>();
    for (int row = 0; row < rows.count(); row++) {
      for (long at = 0; at < rows.length(); at++) {
        expected.put(TO + row * rows.targetStride() + at, FROM + row * rows.sourceStride() + at);
      }
    }
    assertThat(bytes).isEqualTo(expected);
    assertThat(cut.pieceBytes()).isEqualTo(longest);
    long pieces = cut.pieces();
    assertThat(cut.countedPieces()).isEqualTo(pieces <= 8 ? (int) pieces : 1);
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
    RowCut cut = new RowCut().cut(list.clear(), size, 2, 64);
    assertThat(cut.pieces()).isEqualTo(2);
    assertThat(cut.bytes()).isEqualTo(24);
    assertThat(cut.sourceExtent()).isEqualTo(22 * 10 + 8);
    assertThat(cut.targetExtent()).isEqualTo(2 * 16 + 8);
  }
}
