package io.reactivetransfer.engine.origin;

import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.spi.Operation;

/**
 * Cuts a page that consists of rows, or rows that are gathered, into pieces: of as many whole rows
 * as one operation of every NIC carries, or, where a row is longer than that, of parts of one row.
 * Reused: those of one flight after another, and one more of who begins them.
 */
final class RowCut {

  private static final int[] NONE = {};

  private int rows;
  private long rowLength;
  private long sourceStride;
  private long targetStride;

  /** Which rows of the source, if they are gathered. Its own: the list may be changed meanwhile. */
  private int[] list = NONE;

  private boolean isGathered;
  private int rowsPerPiece;
  private long piecesPerRow;
  private long partBytes;

  /**
   * Cuts a page.
   *
   * @param maxRows the most rows of one operation
   * @param maxPiece the most bytes of one operation
   */
  RowCut cut(PagedWrite.Rows page, int maxRows, long maxPiece) {
    isGathered = false;
    rows = page.count();
    rowLength = page.length();
    sourceStride = page.sourceStride();
    targetStride = page.targetStride();
    return cut(maxRows, maxPiece);
  }

  /**
   * Cuts rows that are gathered, as the list says now.
   *
   * @param size how many: what the list had when it was looked at, as it may be changed meanwhile;
   *     1 or more
   * @param maxRows the most rows that one operation gathers
   * @param maxPiece the most bytes of one operation
   * @param ways over how many NICs they should be spread, by whole rows
   * @param minPiece never spread into pieces shorter than this
   */
  RowCut cut(GatherList from, int size, int maxRows, long maxPiece, int ways, long minPiece) {
    isGathered = true;
    rows = size;
    rowLength = from.rowLength();
    sourceStride = from.sourceStride();
    targetStride = from.targetStride();
    if (list.length < rows) {
      list = new int[Math.max(rows, 2 * Math.min(list.length, 1 << 20))];
    }
    from.copyTo(list, rows);
    long all = rowLength > Long.MAX_VALUE / rows ? Long.MAX_VALUE : rows * rowLength;
    long even = Sharding.pieceBytes(all, ways, minPiece, maxPiece);
    int most = (int) Math.min(maxRows, Math.max(1, Math.ceilDiv(even, rowLength)));
    return cut(most, maxPiece);
  }

  private RowCut cut(int maxRows, long maxPiece) {
    long fitting = Math.max(1, maxPiece / rowLength);
    rowsPerPiece = (int) Math.min(fitting, Math.min(maxRows, rows));
    piecesPerRow = Sharding.pieces(rowLength, maxPiece);
    partBytes = Math.min(rowLength, maxPiece);
    return this;
  }

  /** Bytes of all rows. */
  long bytes() {
    return rows * rowLength;
  }

  /** From the first byte of row 0 to the last byte of the row that lies last in the source. */
  long sourceExtent() {
    int last = rows - 1;
    if (isGathered) {
      last = 0;
      for (int i = 0; i < rows; i++) {
        last = Math.max(last, list[i]);
      }
    }
    return extent(last, sourceStride);
  }

  /** From the first byte of the first row to the last byte of the last one at the target. */
  long targetExtent() {
    return extent(rows - 1, targetStride);
  }

  private long extent(int strides, long stride) {
    return strides > 0 && stride > (Long.MAX_VALUE - rowLength) / strides
        ? Long.MAX_VALUE
        : strides * stride + rowLength;
  }

  /** How many pieces a page has. */
  long pieces() {
    return piecesPerRow > 1 ? rows * piecesPerRow : Math.ceilDiv(rows, rowsPerPiece);
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
    int row = (int) (piecesPerRow > 1 ? piece / piecesPerRow : piece * rowsPerPiece);
    long begin = piecesPerRow > 1 ? piece % piecesPerRow * partBytes : 0;
    int count = Math.min(rowsPerPiece, rows - row);
    long bytes = count * Math.min(partBytes, rowLength - begin);
    long target = to + row * targetStride + begin;
    if (count == 1) {
      op.range(from + (isGathered ? list[row] : row) * sourceStride + begin, target, bytes);
    } else if (isGathered) {
      op.range(from, target, bytes).gathering(list, row, count, sourceStride, targetStride);
    } else {
      op.range(from + row * sourceStride, target, bytes).inRows(count, sourceStride, targetStride);
    }
  }
}
