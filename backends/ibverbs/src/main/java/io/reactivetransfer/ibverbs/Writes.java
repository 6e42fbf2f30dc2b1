package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.SendRequests;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The writes of one NIC: chains them, and posts them with one call for each peer. A completion is
 * asked for of the last write of a chain, and of some within; it speaks for those before it. The
 * bytes of a short one are copied when it is taken over, and so can be freed at any time, unless
 * they are an accelerator's.
 */
final class Writes {

  /** The last one of so many has its completion asked for, so that their places become free. */
  static final int SIGNAL_EVERY = 16;

  /** A write that was never given to the device. */
  private record Unposted(long token, int code, String text) {}

  private final OpenDevice device;
  private final SendSlots slots;
  private final long badWr;
  private final long maxBytes;

  /** By which short writes are sent whose bytes the device does not copy itself. */
  private final int copiesLkey;

  private final List<Connection> toFlush = new ArrayList<>();
  private final Queue<Unposted> unposted = new ArrayDeque<>();

  /**
   * None yet.
   *
   * @throws BackendException if the memory for short ones cannot be registered
   */
  Writes(OpenDevice device, Arena arena, long maxBytes) {
    this.device = device;
    this.maxBytes = maxBytes;
    slots = new SendSlots(arena, device.depth());
    copiesLkey = device.register(slots.requests.all());
    badWr = arena.allocate(ValueLayout.JAVA_LONG).address();
  }

  SendSlots slots() {
    return slots;
  }

  // ---- posting ----

  /** Takes a write over, to be posted with the next {@link #flush}. */
  PostResult post(Operation op, RemoteVerbsMemory to, Connection connection) {
    if (connection.out().size() + connection.chain().size() >= device.queueSends()) {
      return PostResult.PEER_BUSY;
    }
    if (!connection.peer().again().isEmpty()) {
      again(connection);
      return PostResult.PEER_BUSY; // until all of it is out, which was taken over before this one
    }
    if (slots.isFull()) {
      return PostResult.NIC_BUSY;
    }
    VerbsMemory source = (VerbsMemory) op.local();
    if (op.length() > maxBytes) {
      return refuse(op, "expected a write of at most " + maxBytes + " bytes, got " + op.length());
    }
    int slot = slots.take(op.token(), source);
    if (!fillIn(slot, source, op.localOffset(), op.length())) {
      slots.release(slot);
      return refuse(op, VerbsMemory.SOURCE_FREED);
    }
    slots.requests.target(slot, to.address() + op.remoteOffset(), to.rkey());
    slots.base(slot, to.address());
    if (op.hasImm()) {
      slots.requests.withImm(slot, op.imm());
    } else {
      slots.requests.withoutImm(slot);
    }
    chain(slot, connection);
    return PostResult.TAKEN;
  }

  /** What is sent; false if that was freed, or the file that it maps cut off. */
  private boolean fillIn(int slot, VerbsMemory source, long offset, long length) {
    MemorySegment readable = source.segment();
    if (readable != null && length > 0 && length <= SendRequests.COPIED_BYTES) {
      try {
        slots.requests.copy(slot, readable, offset, length, copiesLkey);
        return true;
      } catch (IllegalStateException | InternalError e) { // it was freed, or its file was cut off
        return false;
      }
    }
    slots.requests.source(slot, source.address() + offset, length, source.lkey());
    return source.isAlive();
  }

  private void chain(int slot, Connection connection) {
    boolean isInline = slots.requests.isCopied(slot, connection.inlineBytes);
    int flags = isInline ? Ib.IBV_SEND_INLINE : 0;
    int signal = ++connection.unsignalled == SIGNAL_EVERY ? Ib.IBV_SEND_SIGNALED : 0;
    connection.unsignalled = signal == 0 ? connection.unsignalled : 0;
    slots.requests.last(slot, slots.nextId(slot), flags | signal);
    slots.connection(slot, connection);
    Lane chain = connection.chain();
    if (chain.isEmpty()) {
      toFlush.add(connection);
    } else {
      slots.requests.next(chain.last(), slot);
    }
    chain.add(slot);
  }

  /** It was never given to the device; the next poll says so. */
  private PostResult refuse(Operation op, String reason) {
    unposted.add(new Unposted(op.token(), 0, reason));
    return PostResult.TAKEN;
  }

  /** Whether there is something to post, or to report that no completion tells. */
  boolean areDue() {
    return !unposted.isEmpty() || !toFlush.isEmpty();
  }

  /** Posts what was taken over, with one call for each peer. */
  void flush(Outgoing outgoing) {
    for (int i = 0; i < toFlush.size(); i++) {
      Connection connection = toFlush.get(i);
      if (connection.takesWrites()) { // else what is chained is posted again over the next one
        flush(connection, outgoing);
      }
    }
    toFlush.clear();
  }

  private void flush(Connection connection, Outgoing outgoing) {
    Lane chain = connection.chain();
    if (chain.isEmpty()) {
      return;
    }
    slots.requests.add(chain.last(), Ib.IBV_SEND_SIGNALED);
    connection.unsignalled = 0;
    Raw.putLong(badWr, 0);
    int result =
        device.verbs.ibv_post_send(connection.qp, slots.requests.address(chain.first()), badWr);
    // Where a driver does not say which one was the first that it did not take, it may be any.
    long bad = result < 0 ? Raw.getLong(badWr) : 0;
    int firstBad = bad == 0 ? SendSlots.NONE : slots.requests.slotAt(bad);
    while (!chain.isEmpty() && chain.first() != firstBad) {
      connection.out().add(chain.remove());
    }
    if (result < 0) {
      String text = VerbsLibrary.failure("ibv_post_send", result).getMessage();
      outgoing.lose(connection.peer(), -result, String.valueOf(text));
    }
  }

  /** Posts what a connection before this one has left. */
  void again(Connection connection) {
    Lane again = connection.peer().again();
    int room = device.queueSends() - connection.out().size() - connection.chain().size();
    for (; room > 0 && !again.isEmpty(); room--) {
      chain(again.remove(), connection);
    }
  }

  // ---- ends ----

  /** Reports those that were never given to the device; returns how many. */
  int reportUnposted(CompletionSink sink) {
    int reported = 0;
    for (Unposted next = unposted.poll(); next != null; next = unposted.poll()) {
      sink.refused(next.token(), next.code(), next.text());
      reported++;
    }
    return reported;
  }

  /** Whether its source was not freed before the device had read it. */
  boolean isKnownWhatWasSent(int slot) {
    return slots.requests.isCopied(slot, SendRequests.COPIED_BYTES) || slots.isSourceAlive(slot);
  }

  /** What was to be posted again to a peer is not. */
  void giveUp(VerbsPeer peer, int code, String text) {
    while (!peer.again().isEmpty()) {
      int slot = peer.again().remove();
      unposted.add(new Unposted(slots.token(slot), code, text));
      slots.release(slot);
    }
  }
}
