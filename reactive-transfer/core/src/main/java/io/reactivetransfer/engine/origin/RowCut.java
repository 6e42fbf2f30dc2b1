package io.reactivetransfer.engine.origin;

import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.spi.Operation;

/**
 * Cuts a page that consists of rows into pieces: of as many whole rows as one operation of every
 * NIC carries, or, where a row is longer than that, of parts of one row. Reused: those of one
 * flight after another, and one more of who begins them.
 */
final class RowCut {

  private PagedWrite.Rows rows;
  private int rowsPerPiece;
  private long piecesPerRow;
  private long partBytes;

  /**
   * Cuts a page.
   *
   * @param maxRows the most rows of one operation
   * @param maxPiece the most bytes of one operation
   */
  RowCut(PagedWrite.Rows rows, int maxRows, long maxPiece) {
    this.rows = rows;
    cut(rows, maxRows, maxPiece);
  }

  /**
   * Cuts another page.
   *
   * @param maxRows the most rows of one operation
   * @param maxPiece the most bytes of one operation
   */
  void cut(PagedWrite.Rows rows, int maxRows, long maxPiece) {
    this.rows = rows;
    long fitting = Math.max(1, maxPiece / rows.length());
    this.rowsPerPiece = (int) Math.min(fitting, Math.min(maxRows, rows.count()));
    this.piecesPerRow = Sharding.pieces(rows.length(), maxPiece);
    this.partBytes = Math.min(rows.length(), maxPiece);
  }

  /** How many pieces a page has. */
  long pieces() {
    return piecesPerRow > 1
        ? rows.count() * piecesPerRow
        : Math.ceilDiv(rows.count(), rowsPerPiece);
  }

  /**
   * How many of them carry the immediate: all, if their number can be told with it. Else the last
   * one, which is posted when the others are there: more would cost the target more immediates, and
   * nobody any time.
   */
  int countedPieces() {
    long pieces = pieces();
    return pieces <= WireImm.MAX_PIECES ? (int) pieces : 1;
  }

  /** Bytes of the longest piece. */
  long pieceBytes() {
    return rowsPerPiece * partBytes;
  }

  /** Describes one of the pieces of a page that goes from and to these offsets. */
  void describe(Operation op, long piece, long from, long to) {
    long row = piecesPerRow > 1 ? piece / piecesPerRow : piece * rowsPerPiece;
    long begin = piecesPerRow > 1 ? piece % piecesPerRow * partBytes : 0;
    int count = (int) Math.min(rowsPerPiece, rows.count() - row);
    op.range(
        from + row * rows.sourceStride() + begin,
        to + row * rows.targetStride() + begin,
        count * Math.min(partBytes, rows.length() - begin));
    if (count > 1) {
      op.inRows(count, rows.sourceStride(), rows.targetStride());
    }
  }
}
