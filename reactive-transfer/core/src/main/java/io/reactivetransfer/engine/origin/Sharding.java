package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.WireImm;

/**
 * Cuts one logical write (a whole write, or one page) into pieces. Pure functions: the same
 * arguments give the same pieces, whichever NICs they are posted on.
 *
 * <p>Piece {@code i} begins at {@code i * pieceBytes}; the last one is the rest. When there are
 * more than {@link WireImm#MAX_PIECES}, all but the last so many go first and carry no immediate.
 */
final class Sharding {

  /** Pieces that are not the whole begin on page boundaries, where that is possible. */
  private static final long ALIGNMENT = 4096;

  private Sharding() {}

  /**
   * The length of a piece.
   *
   * @param length of the write, 0 or more
   * @param ways over how many NICs it should be spread, 1 to 8
   * @param minPiece never spread into pieces shorter than this
   * @param maxPiece never longer than this: the largest message that all NICs can carry
   */
  static long pieceBytes(long length, int ways, long minPiece, long maxPiece) {
    if (ways == 1 || length <= minPiece) {
      return Math.min(length, maxPiece);
    }
    long even = Math.ceilDiv(length, (long) ways);
    long aligned = Math.ceilDiv(even, ALIGNMENT) * ALIGNMENT;
    return Math.min(Math.max(aligned, minPiece), maxPiece);
  }

  /** How many pieces; a write of length 0 is one piece. */
  static long pieces(long length, long pieceBytes) {
    return length <= pieceBytes ? 1 : Math.ceilDiv(length, pieceBytes);
  }

  /** How many of the pieces carry the immediate: the last ones. */
  static int countedPieces(long pieces) {
    return (int) Math.min(pieces, WireImm.MAX_PIECES);
  }
}
