package io.reactivetransfer.weights;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is checked of pieces. */
final class Pieces {

  /** The most pieces of one tensor on one rank. */
  static final int MAX = 1 << 20;

  private Pieces() {}

  static List<Piece> checked(Tensor tensor, List<Piece> pieces) {
    List<Piece> copy = List.copyOf(pieces);
    if (copy.isEmpty() || copy.size() > MAX) {
      throw new IllegalArgumentException(
          "expected 1 to " + MAX + " pieces of tensor " + tensor.name() + ", got " + copy.size());
    }
    copy.forEach(piece -> requireOf(tensor, piece, null));
    return copy;
  }

  /** Refuses a piece of another shape, and one that begins or ends within a byte. */
  static void requireOf(Tensor tensor, Piece piece, @Nullable String rank) {
    Shape shape = tensor.shape();
    boolean within = piece.box().dimensions() == shape.dimensions();
    for (int i = 0; within && i < shape.dimensions(); i++) {
      within = piece.box().end(i) <= shape.size(i);
    }
    String where = rank == null ? "" : " at rank " + rank;
    if (!within) {
      throw new IllegalArgumentException(
          "expected pieces of tensor "
              + tensor.name()
              + where
              + " within its shape "
              + shape
              + ", got "
              + piece.box());
    }
    if (tensor.type().isPacked() && !isWholeBytes(piece)) {
      throw new IllegalArgumentException(
          "expected pieces of tensor "
              + tensor.name()
              + where
              + " that begin and end at whole bytes, packed along the last dimension, got "
              + piece);
    }
  }

  private static boolean isWholeBytes(Piece piece) {
    int last = piece.box().dimensions() - 1;
    for (int i = 0; i < last; i++) {
      if (piece.box().size(i) > 1 && piece.place().stride(i) % 2 != 0) {
        return false;
      }
    }
    return piece.place().stride(last) == 1
        && piece.box().start(last) % 2 == 0
        && piece.box().size(last) % 2 == 0;
  }

  /** From the first to the last byte. */
  static long extentBytes(Tensor tensor, Piece piece) {
    return tensor.type().bytes(piece.extent());
  }
}
