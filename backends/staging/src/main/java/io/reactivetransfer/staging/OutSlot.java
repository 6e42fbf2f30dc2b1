package io.reactivetransfer.staging;

import io.reactivetransfer.spi.RemoteMemory;
import org.jspecify.annotations.Nullable;

/** A buffer of a peer into which this side may write one piece at a time. */
final class OutSlot {

  final OutWindow window;

  /** By which the peer says that it has taken the piece. */
  final int noteImm;

  /** The peer's buffer; null until it has granted one. */
  @Nullable RemoteMemory memory;

  /** Tells the peer that a piece is there. */
  int imm;

  /** How many pieces it has had. */
  long number;

  /** The piece that it has; null if it is free. */
  @Nullable Lane lane;

  /** Whether the peer takes no more pieces there. */
  boolean retired;

  OutSlot(OutWindow window, Immediates immediates) {
    this.window = window;
    this.noteImm = immediates.add(this);
  }
}
