package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ffm.ffi.Raw;
import io.reactivetransfer.ibverbs.ffi.Completions;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.Receives;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one NIC, and the arrivals: chains the ones and posts them with one call for each
 * peer, and reads from the completion queue what became of both. A completion is asked for of the
 * last write of a chain, and of some within; it speaks for those before it.
 */
final class Writes {

  /** The last one of so many has its completion asked for, so that their places become free. */
  static final int SIGNAL_EVERY = 16;

  private static final int BATCH = 64;
  private static final int BATCHES = 4;

  /** A write that was never given to the device. */
  private record Unposted(long token, int code, String text) {}

  private final OpenDevice device;
  private final Port port;
  private final SendSlots slots;
  private final Completions completions;
  private final long badWr;
  private final long maxBytes;
  private final List<Connection> toFlush = new ArrayList<>();
  private final Queue<Unposted> unposted = new ArrayDeque<>();
  private final ConnectionTable byNumber = new ConnectionTable();
  private long emptied;
  private long read;
  private @Nullable Failure broken;

  /** What the driver of the device says of a completion that has failed, in a line. */
  private final StatusTexts texts;

  Writes(OpenDevice device, Port port, Arena arena, long maxBytes) {
    this.device = device;
    this.port = port;
    this.maxBytes = maxBytes;
    slots = new SendSlots(arena, device.depth());
    completions = new Completions(arena, BATCH);
    badWr = arena.allocate(ValueLayout.JAVA_LONG).address();
    texts = new StatusTexts(device.verbs, port);
  }

  SendSlots slots() {
    return slots;
  }

  Port port() {
    return port;
  }

  /** Completions name it from now on. */
  void know(Connection connection) {
    byNumber.put(connection);
  }

  // ---- posting ----

  /** Takes a write over, to be posted with the next {@link #flush}. */
  PostResult post(Operation op, RemoteVerbsMemory to, Connection connection) {
    if (connection.out().size() + connection.chain().size() >= device.queueSends()) {
      return PostResult.PEER_BUSY;
    }
    if (!connection.peer().again().isEmpty()) {
      return PostResult.PEER_BUSY;
    }
    if (slots.isFull()) {
      return PostResult.NIC_BUSY;
    }
    VerbsMemory source = (VerbsMemory) op.local();
    if (op.length() > maxBytes) {
      return refuse(op, "expected a write of at most " + maxBytes + " bytes, got " + op.length());
    }
    if (!source.isAlive()) {
      return refuse(op, VerbsMemory.SOURCE_FREED);
    }
    int slot = slots.take(op.token(), source);
    slots.requests.source(slot, source.address() + op.localOffset(), op.length(), source.lkey());
    slots.requests.target(slot, to.address() + op.remoteOffset(), to.rkey());
    if (op.hasImm()) {
      slots.requests.withImm(slot, op.imm());
    } else {
      slots.requests.withoutImm(slot);
    }
    boolean isInline = op.length() > 0 && op.length() <= QueuePairs.inlineBytes();
    chain(slot, connection, isInline ? Ib.IBV_SEND_INLINE : 0);
    return PostResult.TAKEN;
  }

  private void chain(int slot, Connection connection, int flags) {
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

  /** Whether there is something to report that no completion tells. */
  boolean areDue() {
    return !unposted.isEmpty();
  }

  /** Posts what was taken over, with one call for each peer. */
  void flush(Connections connections) {
    for (int i = 0; i < toFlush.size(); i++) {
      Connection connection = toFlush.get(i);
      if (connection.isReady()) {
        flush(connection, connections);
      }
    }
    toFlush.clear();
  }

  private void flush(Connection connection, Connections connections) {
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
      connections.replace(connection, new Failure(-result, String.valueOf(text), false), false);
    }
  }

  /** Posts what a connection before this one has left. */
  void again(Connection connection) {
    Lane again = connection.peer().again();
    int room = device.queueSends() - connection.out().size() - connection.chain().size();
    for (; room > 0 && !again.isEmpty(); room--) {
      chain(again.remove(), connection, 0);
    }
  }

  // ---- completions ----

  /** Reads what is complete and what has arrived, a bounded number. */
  int poll(CompletionSink sink, Connections connections) {
    int work = 0;
    for (Unposted next = unposted.poll(); next != null; next = unposted.poll()) {
      sink.refused(next.token(), next.code(), next.text());
      work++;
    }
    for (int batch = 0; batch < BATCHES && broken == null; batch++) {
      int count = completions.poll(device.verbs, device.cq());
      if (count < 0) {
        broken = new Failure(-count, texts.pollFailed(count), false);
        break;
      }
      for (int i = 0; i < count; i++) {
        completed(i, sink, connections);
      }
      work += count;
      read += count;
      if (count < BATCH) {
        emptied++;
        break;
      }
    }
    if (broken == null) {
      var refusal = device.postReceives();
      if (refusal != null) {
        broken = new Failure(refusal.code(), String.valueOf(refusal.getMessage()), false);
      }
    }
    return work;
  }

  /** Why nothing will be heard of writes any more; null as long as they are heard of. */
  @Nullable Failure broken() {
    return broken;
  }

  /** The device says that it can do nothing more. */
  void broken(String text) {
    if (broken == null) {
      broken = new Failure(0, text, false);
    }
  }

  private void completed(int index, CompletionSink sink, Connections connections) {
    long id = completions.id(index);
    int status = completions.status(index);
    if (id == Receives.ID) {
      device.received();
      if (status == Ib.IBV_WC_SUCCESS && completions.hasImm(index)) {
        arrived(byNumber.get(completions.queuePair(index)), completions.imm(index), sink);
      }
      return;
    }
    int slot = slots.slotOf(id);
    Connection connection = slot == SendSlots.NONE ? null : slots.connection(slot);
    if (connection == null) {
      return; // it was reported before
    }
    if (status == Ib.IBV_WC_SUCCESS) {
      written(connection, slot, true, sink);
      if (connection.isReady()) {
        again(connection);
      }
    } else if (connection.isEnding()) {
      failedLate(connection, slot, index, sink);
    } else {
      written(connection, slot, false, sink);
      failed(connection, slot, status, completions.vendorError(index), sink, connections);
    }
  }

  /** The peer, or the engine, has ended it before this side has seen why. */
  private void failedLate(Connection connection, int slot, int index, CompletionSink sink) {
    Failure why =
        texts.of(completions.status(index), completions.vendorError(index), connection.peer());
    Failure end = connection.end;
    if (!why.isCertain() || end == null || end.isCertain()) {
      leftUpTo(connection, slot, sink);
      return;
    }
    // It is the first that has failed: those before it were written, those behind it not begun.
    written(connection, slot, false, sink);
    long token = slots.token(slot);
    slots.release(slot);
    why.report(sink, token);
    connection.end = why;
    connection.keepsRest = connection.isReplacedByPeer;
  }

  private static void arrived(@Nullable Connection by, int imm, CompletionSink sink) {
    if (by == null) {
      sink.immArrived(imm);
    } else {
      EngineId origin = by.peer().engine();
      sink.immArrived(origin, imm);
    }
  }

  /** All before one are complete, and it is, too, or has just failed, and leaves the lane. */
  private void written(
      Connection connection, int last, boolean isLastWritten, CompletionSink sink) {
    Lane out = connection.out();
    long run = 0;
    int writes = 0;
    boolean isOver = false;
    while (!isOver && !out.isEmpty()) {
      int slot = out.remove();
      isOver = slot == last;
      if (isOver && !isLastWritten) {
        break;
      }
      long token = slots.token(slot);
      boolean wasThere = slots.isSourceAlive(slot);
      slots.release(slot);
      if (!wasThere) { // nobody knows what was sent
        sink.failed(token, 0, VerbsMemory.SOURCE_FREED);
        continue;
      }
      if (writes > 0 && !Operation.areOfOneRun(run, token)) {
        written(run, writes, sink);
        writes = 0;
      }
      run = token;
      writes++;
    }
    written(run, writes, sink);
  }

  private static void written(long token, int writes, CompletionSink sink) {
    if (writes == 1) {
      sink.written(token);
    } else if (writes > 1) {
      sink.written(token, writes);
    }
  }

  /** It has left the lane. */
  private void failed(
      Connection connection,
      int slot,
      int status,
      int vendorError,
      CompletionSink sink,
      Connections connections) {
    VerbsPeer peer = connection.peer();
    Failure why = texts.of(status, vendorError, peer);
    long token = slots.token(slot);
    slots.release(slot);
    if (why.isCertain()) {
      why.report(sink, token);
      connections.replace(connection, why, true);
    } else if (status == Ib.IBV_WC_WR_FLUSH_ERR) {
      why.report(sink, token);
      connections.replace(connection, why, false);
    } else {
      connections.lose(peer, why.code(), why.text());
      int told = connections.settle(sink, System.nanoTime());
      assert told > 0 : "a loss is told before the failures of writes";
      why.report(sink, token);
    }
  }

  /** Of a connection that ends, up to this one: each is reported, or posted again. */
  private void leftUpTo(Connection connection, int last, CompletionSink sink) {
    Lane out = connection.out();
    boolean isOver = false;
    while (!isOver && !out.isEmpty()) {
      int slot = out.remove();
      isOver = slot == last;
      left(connection, slot, sink);
    }
  }

  private void left(Connection connection, int slot, CompletionSink sink) {
    Failure why = connection.end;
    if (connection.keepsRest || why == null) {
      slots.connection(slot, null);
      connection.peer().again().add(slot);
    } else {
      long token = slots.token(slot);
      slots.release(slot);
      why.report(sink, token);
    }
  }

  // ---- ends ----

  /** Notes how far completions were read. */
  void mark(Connection connection) {
    connection.emptied = emptied;
    connection.read = read;
  }

  /** Whether all was read that was there then; where more comes all the time, it is never empty. */
  boolean hasRead(Connection connection) {
    return broken != null
        || emptied > connection.emptied
        || read - connection.read > device.completions();
  }

  /** It is closed, and all was read that has come of it: nothing more is heard of the rest. */
  void finish(Connection connection, CompletionSink sink) {
    byNumber.remove(connection);
    while (!connection.out().isEmpty()) {
      left(connection, connection.out().remove(), sink);
    }
    boolean keeps = connection.keepsRest;
    Failure why = connection.end;
    while (!connection.chain().isEmpty()) {
      int slot = connection.chain().remove();
      if (keeps || why == null) {
        left(connection, slot, sink);
      } else {
        long token = slots.token(slot);
        slots.release(slot);
        sink.refused(token, why.code(), why.text()); // it was never posted
      }
    }
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
