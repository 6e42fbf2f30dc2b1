package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Own writes from accelerators, or to those of peers: brings their bytes into buffers piece by
 * piece, and has a NIC write these while the next ones are brought.
 */
final class Outbound {

  /** To one peer, so that a slow one does not have all that the engine may have in flight. */
  private static final int MOST_WRITES = 8;

  private final Nics nics;
  private final OutWindows windows;
  private final Lanes lanes;
  private final Operation op = new Operation();
  private final ArrayDeque<StagedWrite> unused = new ArrayDeque<>();

  /** Peers with writes. */
  private final List<StagedPeer> active = new ArrayList<>();

  /** Who is first, in turn. */
  private int first;

  private long turn;

  /** Whether somebody got no buffer, since others have them. */
  private boolean isScarce;

  /** Whether the next poll has something to do that no NIC tells of. */
  private boolean isDue;

  Outbound(Nics nics) {
    this.nics = nics;
    this.windows = new OutWindows(nics);
    this.lanes = new Lanes(nics);
  }

  OutWindows windows() {
    return windows;
  }

  /** Whether the next poll has something to do that no NIC tells of. */
  boolean isDue() {
    return isDue;
  }

  /** Takes a write over, if there is room for it. */
  PostResult post(Operation write, StagedPeer peer, Memory source) {
    if (peer.writes.size() >= MOST_WRITES) {
      peer.wasRefused = true;
      return PostResult.PEER_BUSY;
    }
    StagedWrite taken = unused.isEmpty() ? new StagedWrite() : unused.removeLast();
    taken.begin(write, source);
    if (peer.writes.isEmpty()) {
      active.add(peer);
      peer.progressNanos = nics.clock().now();
    }
    peer.writes.add(taken);
    isDue = true;
    return PostResult.TAKEN;
  }

  // ---- each turn ----

  /** Goes on with all; returns how much was done. */
  int advance(CompletionSink sink) {
    turn++;
    isDue = false;
    if (active.isEmpty()) {
      return 0;
    }
    boolean wasScarce = isScarce;
    isScarce = false;
    int work = 0;
    int peers = active.size();
    first = (first + 1) % peers;
    for (int i = 0; i < peers; i++) {
      StagedPeer peer = active.get((first + i) % peers);
      work += post(peer) + begin(peer) + report(peer, sink);
      isDue |= !peer.fetching.isEmpty() && Futures.present(peer.fetching.peekFirst()).turn == turn;
    }
    for (int i = active.size() - 1; i >= 0; i--) {
      StagedPeer peer = active.get(i);
      if (isSilent(peer, wasScarce)) {
        work++;
        lose(peer, sink);
      }
      if (peer.writes.isEmpty()) {
        active.remove(i);
      }
    }
    return work;
  }

  /** Gives the NIC what was begun before this turn. */
  private int post(StagedPeer peer) {
    int work = 0;
    Lane lane;
    while ((lane = peer.fetching.peekFirst()) != null && lane.turn < turn) {
      Failure failure = lane.await();
      if (failure != null) {
        lane.write().fail(failure, false);
      }
      if (lane.write().hasFailed()) {
        peer.fetching.removeFirst();
        end(peer, lane);
      } else if (give(peer, lane)) {
        peer.fetching.removeFirst();
      } else {
        break;
      }
      work++;
    }
    return work;
  }

  /** False if it is to be tried again. */
  private boolean give(StagedPeer peer, Lane lane) {
    OutSlot slot = lane.slot;
    Domain nic = slot == null ? nics.main() : nics.second().domain();
    CompletableFuture<LocalMemory> registration =
        slot == null ? lane.pinned().atMain(nics) : lane.pinned().atSecond(nics, Access.LOCAL);
    if (!registration.isDone()) {
      return false;
    }
    if (registration.isCompletedExceptionally()) {
      Throwable why = Futures.why(registration.exceptionNow());
      lane.write().fail(Failure.of("a buffer cannot be registered: ", why), false);
      end(peer, lane);
      return true;
    }
    StagedWrite write = lane.write();
    long offset = write.targetOffset() + lane.offset();
    if (slot == null) {
      op.between(registration.join(), write.target()).range(Frame.BYTES, offset, lane.length());
      var _ = lane.carriesImm() ? op.withImm(write.imm()) : op.withoutImm();
    } else {
      StagedKey key = ((StagedTarget) write.target()).key();
      Frame.put(lane.pinned().memory(), slot.window.id, slot.number, key);
      Frame.putPlace(lane.pinned().memory(), offset, lane.length());
      Frame.putImm(lane.pinned().memory(), lane.carriesImm(), write.imm(), write.length());
      op.between(registration.join(), Futures.present(slot.memory))
          .range(0, 0, Frame.BYTES + lane.length())
          .withImm(slot.imm);
    }
    long token = nics.tokens().take(lane);
    PostResult result = nic.post(op.token(token));
    peer.isBusy = result == PostResult.PEER_BUSY;
    if (!result.isTaken()) {
      var _ = nics.tokens().end(token);
      return false;
    }
    lane.peer = peer;
    if (peer.posted.isEmpty()) {
      peer.progressNanos = nics.clock().now();
    }
    peer.posted.add(lane);
    return true;
  }

  /** Has accelerators bring what there is room for. */
  private int begin(StagedPeer peer) {
    int work = 0;
    boolean hasNoSlot = false;
    for (int i = 0; i < peer.writes.size(); i++) {
      StagedWrite write = peer.writes.get(i);
      while (write.mayGoOn()) {
        OutSlot slot = null;
        if (write.target() instanceof StagedTarget target) {
          slot = hasNoSlot ? null : windows.slot(target);
          if (slot == null) {
            work += hasNoSlot ? 0 : failUnreachable(peer);
            hasNoSlot = true; // what goes to the host needs none
            break;
          }
        } else if (peer.pieces() >= OutWindow.SLOTS) {
          return work;
        }
        Lane lane = takeLane(write);
        if (lane == null) {
          return work;
        }
        work++;
        lane.turn = turn;
        if (slot != null) { // so the second NIC is open
          write.cutInto(nics.second().mostPieceBytes());
        }
        write.beginPiece(lane);
        lane.slot = slot;
        if (slot != null) {
          slot.lane = lane;
        }
        peer.fetching.addLast(lane);
      }
    }
    return work;
  }

  /** Null if there is none now, or there never will be: then the write has failed. */
  private @Nullable Lane takeLane(StagedWrite write) {
    try {
      Lane lane = lanes.take(write.source().device());
      isScarce |= lane == null;
      return lane;
    } catch (BackendException e) {
      write.fail(Failure.of("the source could not be read: ", e), false);
      isDue = true;
      return null;
    }
  }

  /** Writes to a peer's accelerators, if there is no way to them. */
  private int failUnreachable(StagedPeer peer) {
    Failure failure = nics.second().failure();
    if (failure != null) {
      for (StagedWrite write : peer.writes) {
        if (write.target() instanceof StagedTarget) {
          write.fail(failure, false);
        }
      }
    }
    return failure == null ? 0 : 1;
  }

  /** Reports what has come to its end. */
  private int report(StagedPeer peer, CompletionSink sink) {
    int reported = 0;
    for (int i = 0; i < peer.writes.size(); ) {
      StagedWrite write = peer.writes.get(i);
      if (write.isOver()) {
        peer.writes.remove(i);
        write.report(sink);
        unused.addLast(write);
        reported++;
      } else {
        i++;
      }
    }
    if (reported > 0 && peer.wasRefused) {
      peer.wasRefused = false;
      nics.doorbell().ring();
    }
    return reported;
  }

  // ---- what becomes of pieces ----

  /** A NIC has reported a piece; with a failure, if it has failed. */
  void reported(Lane lane, @Nullable Failure failure, boolean refused) {
    lane.isReported = true;
    if (failure != null) {
      lane.write().fail(failure, !refused);
      OutSlot slot = lane.slot;
      if (slot != null) {
        lane.isAnswered = true;
        windows.giveUp(slot.window); // nobody knows what the peer thinks of this slot
        abandon(slot.window, failure);
      }
    }
    settle(lane);
  }

  /** A peer has taken what was in a slot. */
  void taken(OutSlot slot) {
    Lane lane = slot.lane;
    if (lane != null && lane.peer != null && !slot.window.isOver) {
      lane.isAnswered = true;
      settle(lane);
    }
  }

  /** A peer has refused what was in a slot. */
  void refused(OutSlot slot, long number, boolean retired, Failure why) {
    Lane lane = slot.lane;
    if (lane != null && lane.peer != null && slot.number == number) {
      slot.retired = retired;
      lane.write().fail(why, false);
      lane.isAnswered = true;
      settle(lane);
    }
  }

  private void settle(Lane lane) {
    StagedPeer peer = lane.peer;
    if (peer != null && lane.isReported && (lane.slot == null || lane.isAnswered)) {
      peer.posted.remove(lane);
      end(peer, lane);
    }
  }

  private void end(StagedPeer peer, Lane lane) {
    OutSlot slot = lane.slot;
    boolean wasPosted = lane.peer != null;
    lane.write().pieceEnded();
    lane.peer = null;
    lanes.give(lane);
    peer.progressNanos = nics.clock().now();
    isDue = true;
    if (slot != null) {
      slot.lane = null;
      slot.number += wasPosted ? 1 : 0;
      windows.pieceEnded(slot.window);
    }
  }

  // ---- ends ----

  /** A window is over: no answer comes to what is in it. */
  void abandon(OutWindow window, Failure why) {
    StagedPeer peer = window.peer;
    for (Lane lane : List.copyOf(peer.posted)) {
      OutSlot slot = lane.slot;
      if (slot != null && slot.window == window && !lane.isAnswered) {
        lane.write().fail(why, true); // it may come yet
        lane.isAnswered = true;
        settle(lane);
      }
    }
    for (Lane lane : peer.fetching) {
      OutSlot slot = lane.slot;
      if (slot != null && slot.window == window) {
        lane.write().fail(why, false);
      }
    }
    isDue = true;
  }

  /**
   * Nothing goes to accelerators of a peer any more by what it has granted, which hears of it: what
   * lies there untaken is not to be counted later than its failure is told.
   */
  void giveUpWindow(StagedPeer peer, Failure why) {
    OutWindow window = peer.outWindow;
    if (window != null) {
      windows.giveUp(window);
      abandon(window, why);
    }
  }

  /** The same with the session, which the peer hears of by itself. */
  private void endWindow(StagedPeer peer, Failure why) {
    OutWindow window = peer.outWindow;
    if (window != null) {
      windows.end(window);
      abandon(window, why);
    }
  }

  /** All writes to a peer fail; each is reported when the NIC has said what became of it. */
  void end(StagedPeer peer, Failure why) {
    endWindow(peer, why);
    for (Lane lane : peer.posted) {
      boolean isStored = lane.slot != null && lane.isAnswered && !lane.carriesImm();
      lane.write().fail(why, !isStored); // it may come yet, whatever the NIC says next
    }
    for (StagedWrite write : peer.writes) {
      write.fail(why, false);
    }
    isDue = true;
  }

  /** Writes to accelerators of a peer fail whose key it does not know. */
  void denied(OutWindow window, Failure why) {
    windows.end(window);
    for (StagedWrite write : window.peer.writes) {
      if (write.target() instanceof StagedTarget target && target.key().equals(window.firstKey)) {
        write.fail(why, false);
      }
    }
    abandon(window, why);
  }

  /** Whether a peer owes an answer for too long, or keeps buffers that others need. */
  private boolean isSilent(StagedPeer peer, boolean othersWait) {
    long now = nics.clock().now();
    OutWindow window = peer.outWindow;
    if (window != null && !window.isGranted) {
      return now - window.heardNanos > nics.patienceNanos();
    }
    boolean isStuck = !peer.posted.isEmpty() || (peer.isBusy && !peer.fetching.isEmpty());
    if (!isStuck || now - peer.progressNanos <= nics.patienceNanos()) {
      return false;
    }
    return othersWait || peer.posted.stream().anyMatch(lane -> lane.isReported);
  }

  private void lose(StagedPeer peer, CompletionSink sink) {
    String text =
        "engine "
            + peer.engine().toShortString()
            + " took nothing that was written to it, or to its accelerators, within "
            + nics.patienceNanos() / 1_000_000
            + " ms";
    sink.peerLost(peer.engine(), 0, text);
    windows.cutOff(peer, text);
    end(peer, new Failure(0, text));
  }

  /** No NIC is open any more. */
  void close() {
    lanes.close();
  }
}
