package io.reactivetransfer.staging;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What peers write to accelerators here: pieces, into buffers of the host, from where they are
 * stored. Nothing that a peer says is believed: what is wrong ends its window, or is refused.
 */
final class Inbound {

  private static final String NOT_TAKEN = "the target could not be written to: ";

  private final Nics nics;
  private final Registry registry;
  private final Slots slots;
  private final Windows windows;
  private final Operation note = new Operation();

  /** Whose bytes an accelerator takes, in the order in which that was begun. */
  private final ArrayDeque<InSlot> storing = new ArrayDeque<>();

  /** Whose peers are to be told that the piece was taken. */
  private final List<InSlot> taken = new ArrayList<>();

  private long turn;

  Inbound(Nics nics, Registry registry) {
    this.nics = nics;
    this.registry = registry;
    this.slots = new Slots(nics);
    this.windows = new Windows(nics, registry, slots, this::endSlots);
  }

  /** Who has asked for windows, and who has them. */
  Windows windows() {
    return windows;
  }

  /** Whether there is something to do that nothing else tells of. */
  boolean isDue() {
    return !storing.isEmpty();
  }

  // ---- each turn ----

  /** What was begun before this turn is waited for, and reported; returns how much. */
  int settle(CompletionSink sink) {
    turn++;
    int settled = 0;
    InSlot slot;
    while ((slot = storing.peekFirst()) != null && slot.turn < turn) {
      storing.removeFirst();
      settle(slot, sink);
      settled++;
    }
    return settled;
  }

  private void settle(InSlot slot, CompletionSink sink) {
    BackendException failed = slot.await();
    StagedMemory target = Futures.present(slot.target);
    slot.target = null;
    if (failed != null && !(slot.pinned().isOver() && failed.isOver())) {
      // Refused, it would be posted again, and these bytes could come behind those.
      windows.end(slot.window(), NOT_TAKEN + failed.getMessage());
    } else if (failed != null) {
      refuse(slot, Failure.of(NOT_TAKEN, failed));
    } else if (!target.isOpen()) {
      refuse(slot, new Failure(0, Futures.present(Registry.refusal(target, 0, 0))));
    } else {
      if (slot.hasImm) {
        sink.immArrived(slot.window().peer.engine(), slot.pieceImm, slot.writeBytes);
      }
      slot.state = InSlot.State.TAKEN;
      taken.add(slot);
    }
  }

  private void refuse(InSlot slot, Failure why) {
    boolean retired = slot.pinned().isBroken();
    nics.say(slot.window().peer, Messages.refused(slot, slot.number, retired, why));
    slot.number++;
    slot.failure = null;
    slot.state = retired ? InSlot.State.RETIRED : InSlot.State.FREE;
  }

  /** Tells peers what was taken, and grants what they have asked for; returns how much. */
  int advance() {
    int work = slots.collect() + windows.advance();
    for (int i = 0; i < taken.size(); ) {
      InSlot slot = taken.get(i);
      if (acknowledge(slot)) {
        InSlot last = taken.removeLast();
        if (i < taken.size()) {
          taken.set(i, last);
        }
        work++;
      } else {
        i++; // others may be reached meanwhile
      }
    }
    return work;
  }

  private boolean acknowledge(InSlot slot) {
    InWindow window = slot.window();
    slot.state = InSlot.State.FREE; // it may come before the post returns
    slot.number++;
    note.between(nics.second().notes(), window.notes)
        .range(0, 0, 0)
        .withImm(window.noteImms[slot.index()]);
    long token = nics.tokens().take(window);
    PostResult result = nics.second().domain().post(note.token(token));
    if (!result.isTaken()) {
      var _ = nics.tokens().end(token);
      slot.state = InSlot.State.TAKEN;
      slot.number--;
      return false;
    }
    window.notesOut++;
    window.peer.notesOut++;
    return true;
  }

  /** The second NIC has reported an acknowledgement; with a failure, if it has not gone. */
  void noted(InWindow window, @Nullable Failure failure) {
    window.notesOut--;
    window.peer.notesOut--;
    if (failure != null && !window.isOver) {
      windows.end(window, "a piece could not be acknowledged: " + failure.text());
    }
    windows.releaseIfQuiet(window);
  }

  // ---- what comes ----

  /** A piece is in a slot, or a peer says so. */
  void arrived(InSlot slot) {
    InWindow window = slot.window();
    MemorySegment memory = slot.pinned().memory();
    int length = Frame.length(memory);
    if (slot.state != InSlot.State.FREE
        || Frame.window(memory) != window.id
        || Frame.number(memory) != slot.number
        || length < 0
        || length > Pinned.MOST_BYTES) {
      windows.end(
          window,
          "expected piece "
              + slot.number
              + " of up to "
              + Pinned.MOST_BYTES
              + " bytes in a free slot, got something else");
      return;
    }
    window.isUsed = true;
    long offset = Frame.offset(memory);
    StagedMemory target = registry.find(Frame.keyHigh(memory), Frame.keyLow(memory));
    String refusal = Registry.refusal(target, offset, length);
    if (target == null || refusal != null) {
      refuse(slot, new Failure(0, String.valueOf(refusal)));
      return;
    }
    slot.hasImm = Frame.hasImm(memory);
    slot.pieceImm = Frame.imm(memory);
    slot.writeBytes = Frame.writeLength(memory);
    long before = slot.writeBytes - length;
    if (slot.hasImm && (before < 0 || before > offset)) { // its other pieces are in front of it
      String reason = "expected a write of " + length + " to " + (offset + length) + " bytes, got ";
      refuse(slot, new Failure(0, reason + slot.writeBytes));
      return;
    }
    slot.target = target;
    store(slot, target, offset, length);
  }

  private void store(InSlot slot, StagedMemory target, long offset, int length) {
    slot.state = InSlot.State.STORING;
    slot.turn = turn;
    storing.addLast(slot);
    Pinned pinned = slot.pinned();
    try {
      if (length > 0 && target.memory().device().equals(pinned.device())) {
        pinned.store(target.memory(), offset, length);
      } else if (length > 0) { // the window was asked for with memory of another device
        nics.devices()
            .access(target.memory().device())
            .copyFromHost(pinned.memory(), Frame.BYTES, target.memory(), offset, length);
      }
    } catch (BackendException e) {
      slot.failure = e;
      if (!e.isOver()) {
        target.doubt(e);
        nics.doubts().add(e);
      }
    }
  }

  // ---- ends ----

  /**
   * Waits until nothing is on its way to this memory, whatever comes of that.
   *
   * @throws BackendException if nobody knows whether it is so
   */
  void quiet(StagedMemory memory) {
    for (InSlot slot : storing) {
      if (slot.target == memory) {
        var _ = slot.await();
      }
    }
    memory.requireQuiet();
  }

  /** Lets go of the buffers of a window, in which nothing is under way when this returns. */
  private void endSlots(InWindow window) {
    for (InSlot slot : window.slots) {
      if (slot.state == InSlot.State.STORING) {
        var _ = slot.await();
        storing.remove(slot);
      } else if (slot.state == InSlot.State.TAKEN) {
        taken.remove(slot);
      }
      slot.state = InSlot.State.RETIRED;
      nics.immediates().remove(slot.imm());
      slots.give(slot.pinned());
    }
  }

  /** No NIC is open any more. */
  void close() {
    storing.clear();
    taken.clear();
    slots.close();
  }
}
