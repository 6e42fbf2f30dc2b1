package io.reactivetransfer.staging;

import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.RemoteMemory;
import org.jspecify.annotations.Nullable;

/**
 * What a peer was asked for: buffers of its host, from which it takes pieces to its accelerators.
 */
final class OutWindow {

  /** Buffers of one window: so many pieces to one peer are on their way. */
  static final int SLOTS = 4;

  final StagedPeer peer;

  /** Known to the two only. */
  final long id;

  /** What it was asked for with. */
  final StagedKey firstKey;

  final OutSlot[] slots = new OutSlot[SLOTS];

  /** When the peer last said that it has heard. */
  long heardNanos;

  boolean isGranted;

  /** Whether it is given back when nothing is on its way in it. */
  boolean isDraining;

  boolean isOver;

  OutWindow(Nics nics, StagedPeer peer, StagedKey firstKey) {
    this.peer = peer;
    this.id = nics.random().nextLong();
    this.firstKey = firstKey;
    this.heardNanos = nics.clock().now();
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new OutSlot(this, nics.immediates());
    }
  }

  int[] noteImms() {
    int[] imms = new int[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
      imms[i] = slots[i].noteImm;
    }
    return imms;
  }

  /** One that may be written; null if there is none now. */
  @Nullable OutSlot free() {
    for (OutSlot slot : slots) {
      if (slot.lane == null && !slot.retired && slot.memory != null) {
        return slot;
      }
    }
    return null;
  }

  /** Whether nothing is on its way in it. */
  boolean isIdle() {
    for (OutSlot slot : slots) {
      if (slot.lane != null) {
        return false;
      }
    }
    return true;
  }

  /** Whether the peer takes no more pieces in any of it. */
  boolean isUsedUp() {
    for (OutSlot slot : slots) {
      if (!slot.retired && slot.memory != null) {
        return false;
      }
    }
    return true;
  }

  /** Nothing that the peer says of it counts any more. */
  void end(Nics nics) {
    isOver = true;
    for (OutSlot slot : slots) {
      nics.immediates().remove(slot.noteImm);
    }
  }

  /** Forgets the peer's buffers, to which nothing is on its way. */
  void release(Domain second) {
    for (OutSlot slot : slots) {
      RemoteMemory memory = slot.memory;
      slot.memory = null;
      if (memory != null) {
        second.release(memory);
      }
    }
  }
}
