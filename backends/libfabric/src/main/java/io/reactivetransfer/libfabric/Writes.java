package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiLayout;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.WriteOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The writes of one NIC, and the arrivals: posts the ones, and reads from their queue both. */
final class Writes {

  /** What becomes of a write that the provider reported as failed. */
  interface Handler {

    /** It may be reported once it is known whether the peer is alive. */
    void failed(Route route, Failure failure);

    /** What was begun on this route is refused now. */
    void stuck(Route route);
  }

  private static final int BATCH = 64;
  private static final int BATCHES = 4;

  private final OpenFabric fabric;
  private final WriteSlots slots;
  private final boolean endpointForEach;
  private final MemorySegment entries;
  private final long entriesAddress;
  private final MemorySegment error;
  private final List<Initiator> closed = new ArrayList<>();
  private final Poster poster;
  private final Queue<Integer> halves = new ArrayDeque<>();
  private @Nullable Initiator shared;
  private boolean drained;

  /**
   * For an opened NIC.
   *
   * @param depth writes that may be out
   * @param endpointForEach whether each peer is written to through an endpoint of its own
   */
  Writes(OpenFabric fabric, Arena arena, int depth, boolean endpointForEach) {
    this.fabric = fabric;
    this.slots = new WriteSlots(arena, depth);
    this.poster = new Poster(fabric, arena, slots);
    this.endpointForEach = endpointForEach;
    this.entries = arena.allocate(BATCH * FiLayout.ENTRY_BYTES, Long.BYTES);
    this.entriesAddress = entries.address();
    this.error = arena.allocate(FiLayout.ERROR_BYTES, Long.BYTES);
  }

  /** How a post ended. */
  enum Posted {
    /** The provider has it. */
    TAKEN,
    /** There is no room, or the connection is being made. */
    REFUSED,
    /** Not even that: see {@link #lastError()}. */
    FAILED
  }

  private BackendException lastError = new BackendException(0, "none");

  /** Why the last post failed. */
  BackendException lastError() {
    return lastError;
  }

  /** Whether there is something that only another poll moves forward. */
  boolean hasHalves() {
    return !halves.isEmpty();
  }

  boolean isFull() {
    return slots.isFull();
  }

  /** Posts a write on an open route. */
  Posted post(WriteOp op, Route route) {
    Initiator initiator = route.peer().initiator();
    if (initiator == null) {
      try {
        initiator = openFor(route.peer());
      } catch (BackendException e) {
        lastError = e;
        return Posted.FAILED;
      }
    }
    int slot = slots.fill(op, route);
    boolean apart = poster.isApart(slot);
    long result =
        apart ? poster.postBytes(slot, route, initiator) : poster.post(slot, route, initiator);
    if (result == Fi.FI_SUCCESS) {
      slots.take(slot, route, initiator);
      if (apart && poster.postImm(slot, route, initiator) != Fi.FI_SUCCESS) {
        halves.add(slot);
      }
      return Posted.TAKEN;
    }
    if (result == -Fi.FI_EAGAIN) {
      return Posted.REFUSED;
    }
    lastError = fabric.error(op.hasImm() ? "fi_writedata" : "fi_write", result);
    return Posted.FAILED;
  }

  /**
   * Tries again what was posted by half. Bytes and immediate both: between two tries the connection
   * may have become another one, on which the bytes never came.
   */
  private void completeHalves(Handler handler) {
    for (int left = halves.size(); left > 0; left--) {
      int slot = halves.remove();
      Route route = slots.route(slot);
      Initiator initiator = slots.initiator(slot);
      if (route == null || initiator == null || initiator.closed() != null) {
        continue; // it will be reported as failed
      }
      if (route.state() == Route.State.DENIED) {
        slots.release(slot);
        handler.failed(route, new Failure(slots.token(slot), 0, route.denial()));
        continue;
      }
      long result = poster.postBytes(slot, route, initiator);
      if (result == Fi.FI_SUCCESS) {
        result = poster.postImm(slot, route, initiator);
      }
      if (result == Fi.FI_SUCCESS) {
        route.taken();
      } else if (result == -Fi.FI_EAGAIN) {
        halves.add(slot);
        handler.stuck(route);
      } else {
        // Its bytes may still be read, and only closing the endpoint ends that.
        BackendException cause = fabric.error("fi_writedata", result);
        close(route.peer(), cause.code(), String.valueOf(cause.getMessage()));
      }
    }
  }

  private Initiator openFor(FabricPeer peer) {
    Initiator initiator = endpointForEach ? open() : sharedInitiator();
    peer.initiator(initiator);
    return initiator;
  }

  private Initiator sharedInitiator() {
    Initiator initiator = shared;
    if (initiator == null || initiator.closed() != null) {
      initiator = open();
      shared = initiator;
    }
    return initiator;
  }

  private Initiator open() {
    return new Initiator(fabric.openForWrites());
  }

  /**
   * Closes the endpoint through which a peer was written to. When it returns, nothing that was out
   * is read any more; it is reported as failed by the next polls.
   */
  void close(FabricPeer peer, int code, String text) {
    Initiator initiator = peer.initiator();
    peer.initiator(null);
    if (initiator != null && initiator.closed() == null) {
      fabric.close(initiator.endpoint());
      initiator.closed(code, text);
      if (!initiator.isIdle()) {
        closed.add(initiator);
      }
    }
  }

  /** Reads what is complete and what has arrived, a bounded number. */
  int poll(CompletionSink sink, Handler handler) {
    if (!halves.isEmpty()) {
      completeHalves(handler);
    }
    List<CompletionQueue> queues = fabric.writes();
    int work = 0;
    drained = true;
    for (int i = queues.size() - 1; i >= 0; i--) {
      CompletionQueue queue = queues.get(i);
      int read = poll(queue, sink, handler);
      work += read;
      if (queue.isEnding() && read == 0) {
        fabric.close(queue);
      }
    }
    return work;
  }

  private int poll(CompletionQueue queue, CompletionSink sink, Handler handler) {
    int work = 0;
    boolean more = true;
    for (int batch = 0; batch < BATCHES && more; batch++) {
      long count = fabric.lib.fi_cq_read(queue.fid(), entriesAddress, BATCH);
      if (count == -Fi.FI_EAVAIL) {
        work += readErrors(queue.fid(), handler, sink);
        continue;
      }
      for (long i = 0; i < count; i++) {
        completed(entriesAddress + i * FiLayout.ENTRY_BYTES, sink);
      }
      work += (int) Math.max(0, count);
      more = count == BATCH;
    }
    drained &= !more;
    return work;
  }

  private void completed(long entry, CompletionSink sink) {
    long flags = LibFabric.flags(entry);
    // Some providers set the first flag on their own completions, too, and some do not say FI_RMA.
    if ((flags & (Fi.FI_REMOTE_CQ_DATA | Fi.FI_WRITE)) == Fi.FI_REMOTE_CQ_DATA) {
      sink.immArrived((int) LibFabric.data(entry));
      return;
    }
    int slot = slots.slotOf(LibFabric.context(entry));
    if (slot >= 0) {
      slots.release(slot);
      sink.written(slots.token(slot));
    }
  }

  /** All that there are: each is a write of its own. */
  private int readErrors(long queue, Handler handler, CompletionSink sink) {
    int read = 0;
    while (read < slots.count() + BATCH) {
      error.fill((byte) 0);
      if (fabric.lib.fi_cq_readerr(queue, error.address()) != 1) {
        break;
      }
      read++;
      failed(queue, handler, sink);
    }
    return read;
  }

  private void failed(long queue, Handler handler, CompletionSink sink) {
    int slot = slots.slotOf(LibFabric.errorContext(error.address()));
    if (slot < 0) {
      return; // what came to this side has failed: its origin is told
    }
    Route route = slots.route(slot);
    Initiator initiator = slots.initiator(slot);
    long token = slots.token(slot);
    slots.release(slot);
    Failure why = initiator == null ? null : initiator.closed();
    if (why != null || route == null) {
      sink.failed(token, why == null ? 0 : why.code(), why == null ? "" : why.text());
      return;
    }
    handler.failed(
        route,
        new Failure(token, LibFabric.error(error.address()), fabric.text(queue, error.address())));
  }

  /**
   * Reports what was out through endpoints that are closed. What they had completed before lay in
   * the queue, so this comes when the queue has been empty.
   */
  int reportClosed(CompletionSink sink) {
    if (closed.isEmpty() || !drained) {
      return 0;
    }
    int reported = 0;
    for (int slot = 0; slot < slots.count(); slot++) {
      Initiator initiator = slots.initiator(slot);
      Failure why = initiator == null ? null : initiator.closed();
      if (why != null) {
        int freed = slot;
        slots.release(slot);
        halves.removeIf(half -> half == freed);
        sink.failed(slots.token(slot), why.code(), why.text());
        reported++;
      }
    }
    closed.clear();
    return reported;
  }

  /** Closes all endpoints for writing. */
  void close(Iterable<FabricPeer> peers) {
    peers.forEach(peer -> close(peer, 0, "the engine is closed"));
    if (shared != null && shared.closed() == null) {
      fabric.close(shared.endpoint());
    }
  }
}
