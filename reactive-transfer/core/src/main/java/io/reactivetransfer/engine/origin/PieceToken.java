package io.reactivetransfer.engine.origin;

/**
 * What a NIC is given with each piece, and gives back with its report: 16 bits of the generation of
 * the flight's slot, 28 bits of the number of the piece in its phase, and 20 bits of the slot.
 * Those of one flight differ by the piece only: they are a run of {@link
 * io.reactivetransfer.spi.Operation#areOfOneRun}.
 */
final class PieceToken {

  private static final int SLOT_BITS = 20;
  private static final int PIECE_BITS = 28;
  private static final int GENERATION_SHIFT = SLOT_BITS + PIECE_BITS;
  private static final long PIECES = (1L << PIECE_BITS) - 1;

  /** As many as there are slots. */
  static final int MAX_FLIGHTS = 1 << SLOT_BITS;

  /** A phase with more pieces is posted, but none of them again: their numbers do not fit. */
  static final long MAX_PIECES = 1L << PIECE_BITS;

  private PieceToken() {}

  static long of(int generation, long piece, int slot) {
    return (long) generation << GENERATION_SHIFT | (piece & PIECES) << SLOT_BITS | slot;
  }

  static int slot(long token) {
    return (int) token & MAX_FLIGHTS - 1;
  }

  static int piece(long token) {
    return (int) (token >>> SLOT_BITS & PIECES);
  }

  static boolean isOf(int generation, long token) {
    return (char) generation == (char) (token >>> GENERATION_SHIFT);
  }
}
