package io.reactivetransfer.engine.origin;

import io.reactivetransfer.engine.base.IntQueue;
import java.util.Arrays;

/**
 * The pieces of one phase of a flight that are posted once more, because the way that they had gone
 * is lost: those of which it is certain that they never arrive, and those that may arrive as long
 * as the way is not shut, which are held until then.
 */
final class Reposts {

  private final long phase;
  private int[] pieces = new int[4];
  private int count;
  private final IntQueue held = new IntQueue();

  /** Of a phase of so many pieces: the places of what is posted once more follow these. */
  Reposts(long phase) {
    this.phase = phase;
  }

  /** How many pieces the phase has. */
  long phase() {
    return phase;
  }

  /** The number in its phase of what is posted in this place. */
  long pieceAt(long place) {
    return place < phase ? place : pieces[(int) (place - phase)];
  }

  /** It can be posted. */
  void add(int piece) {
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, count * 2);
    }
    pieces[count++] = piece;
  }

  /** It can be posted when the lost way is shut. */
  void hold(int piece) {
    held.add(piece);
  }

  /** What is held can be posted. Returns how many these are. */
  int release() {
    int released = held.size();
    while (!held.isEmpty()) {
      add(held.take());
    }
    return released;
  }

  /** How many pieces were or will be posted once more. */
  long total() {
    return (long) count + held.size();
  }
}
