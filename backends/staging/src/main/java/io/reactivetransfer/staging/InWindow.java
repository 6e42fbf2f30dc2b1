package io.reactivetransfer.staging;

import io.reactivetransfer.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one peer was granted: buffers of this host. */
final class InWindow {

  final StagedPeer peer;

  /** Known to the two only. */
  final long id;

  /** By which the peer is told that it may write a slot again. */
  final int[] noteImms;

  /** Where that goes. */
  final RemoteMemory notes;

  final List<InSlot> slots = new ArrayList<>();

  /** Whether a piece has come since it was granted. */
  boolean isUsed;

  /** When it was granted, or begun. */
  long grantedNanos;

  /** When it was asked back; negative if it was not. */
  long askedBackNanos = -1;

  boolean isGranted;

  /** Acknowledgements that the second NIC has. */
  int notesOut;

  boolean isOver;

  /** Whether it is forgotten where acknowledgements went. */
  boolean areNotesReleased;

  InWindow(WindowRequest request, RemoteMemory notes, long now) {
    this.peer = request.peer;
    this.id = request.window;
    this.noteImms = request.noteImms;
    this.notes = notes;
    this.grantedNanos = now;
  }

  /** Whether all of it is registered, or cannot be. */
  boolean isRegistered() {
    for (InSlot slot : slots) {
      if (!slot.registration().isDone()) {
        return false;
      }
    }
    return true;
  }

  /** Why a part of it cannot be registered, or null. */
  @Nullable Failure refusal() {
    for (InSlot slot : slots) {
      if (slot.registration().isCompletedExceptionally()) {
        return Failure.of(
            "a buffer cannot be registered: ", Futures.why(slot.registration().exceptionNow()));
      }
    }
    return null;
  }
}
