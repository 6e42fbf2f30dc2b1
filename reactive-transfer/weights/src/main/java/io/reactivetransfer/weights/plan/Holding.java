package io.reactivetransfer.weights.plan;

import io.reactivetransfer.weights.Box;
import io.reactivetransfer.weights.Piece;

/**
 * A piece of a tensor, and the rank that has it.
 *
 * @param rank the rank
 * @param piece what it has
 * @param isRegistered whether NICs can reach it
 */
record Holding(int rank, Piece piece, boolean isRegistered) {

  /** Bytes in front of the first element of a box, which is part of the piece. */
  long offset(Box box, int bits) {
    long elements = 0;
    for (int i = 0; i < box.dimensions(); i++) {
      elements += (box.start(i) - piece.box().start(i)) * piece.place().stride(i);
    }
    return piece.place().offset() + elements * bits / Byte.SIZE;
  }
}
