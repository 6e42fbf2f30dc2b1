package io.reactivetransfer.libfabric;

import io.reactivetransfer.Device;
import io.reactivetransfer.ffm.Accelerators;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiLayout;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.libfabric.ffi.RmaMessage;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The writes of one NIC, and the arrivals: posts the ones, and reads from their queue both. */
final class Writes {

  /** What becomes of a write that has failed. */
  interface Handler {

    /** Nobody on this side ended it: it may be reported once it is known why it has. */
    void failed(Route route, Failure failure);

    /** This side has ended it: it is reported, behind the loss of its peer if that was lost. */
    void ended(Route route, Failure failure, CompletionSink sink);
  }

  /** After so many one after the other, at most one for each poll, the queue will not be well. */
  static final int MOST_FAILED_READS = 1_000;

  /** Errors that libfabric has no names of its own for. */
  private static final int ENFILE = 23;

  private static final int EPIPE = 32;

  private static final int BATCH = 64;
  private static final int BATCHES = 4;

  /** What can have lain in a queue, where more comes all the time and it is never empty. */
  private static final int MOST_TO_DRAIN = (int) OpenFabric.QUEUE_SIZE;

  private final OpenFabric fabric;
  private final Accelerators accelerators;
  private final Links links;
  private final WriteSlots slots;
  private final RmaMessage message;
  private final long flags;
  private final long injectBytes;
  private final boolean saysLengths;
  private final MemorySegment entries;
  private final long entriesAddress;
  private final MemorySegment error;
  private int failedReads;
  private @Nullable Failure broken;

  /** An initiator was closed with something out, or may have been. */
  private boolean abandoned;

  /** What was read since then. */
  private int readSince;

  /** Whether the queue was found empty since then. */
  private boolean drained;

  /** Who waits until nothing more comes of what was disconnected. */
  private final List<CompletableFuture<Void>> fences = new ArrayList<>();

  private BackendException lastError = new BackendException(0, "none");

  /**
   * For an opened NIC.
   *
   * @param depth writes that may be out
   * @param injectBytes the longest that are injected, below 0 for none
   */
  Writes(
      OpenFabric fabric,
      Accelerators accelerators,
      Arena arena,
      Links links,
      int depth,
      long injectBytes) {
    this.fabric = fabric;
    this.accelerators = accelerators;
    this.links = links;
    this.slots = new WriteSlots(arena, depth);
    this.message = new RmaMessage(arena);
    this.flags = Fi.FI_COMPLETION | (fabric.info.completion() & Fi.FI_DELIVERY_COMPLETE);
    this.injectBytes = injectBytes;
    this.saysLengths = Provider.of(fabric.info.provider()).saysLengths();
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
    /** The way has ended; perhaps there is another one. */
    NO_WAY,
    /** No way can be begun, or made: see {@link #lastError()}. */
    UNREACHABLE,
    /** This one cannot be posted: see there. */
    FAILED
  }

  /** Why the last post failed. */
  BackendException lastError() {
    return lastError;
  }

  /**
   * Begins to make the way of an open route before there is a write that can be posted, so that the
   * ways of several are made at once. Where there can be none, the first write says so.
   */
  void makeWay(Route route) {
    if (!route.isLeft()) {
      var _ = wayOf(route);
    }
  }

  private @Nullable Initiator wayOf(Route route) {
    Initiator initiator = route.initiator();
    if (initiator == null) {
      try {
        initiator = links.connect(route.peer(), route.landing());
        route.initiator(initiator);
      } catch (BackendException e) {
        lastError = e;
      }
    }
    return initiator;
  }

  /** Posts a write on an open route. */
  Posted post(Operation op, Route route) {
    Initiator initiator = wayOf(route);
    if (initiator == null) {
      return Posted.UNREACHABLE;
    }
    if (!initiator.isReady()) {
      return initiator.closed() == null ? Posted.REFUSED : Posted.NO_WAY;
    }
    return slots.isFull() ? Posted.REFUSED : post(op, route, initiator);
  }

  private Posted post(Operation op, Route route, Initiator initiator) {
    FabricMemory source = (FabricMemory) op.local();
    if (!source.isAlive()) {
      lastError = new BackendException(0, FabricMemory.SOURCE_FREED);
      return Posted.FAILED;
    }
    int slot = slots.next();
    message.from(source.address() + op.localOffset(), op.length(), source.desc());
    message.to(initiator.destination(), route.base() + op.remoteOffset(), route.key());
    message.with(Integer.toUnsignedLong(op.imm()), slots.context(slot));
    long result = fabric.lib.fi_writemsg(initiator.fid(), message.address(), flagsOf(op, source));
    if (result == Fi.FI_SUCCESS) {
      slots.take(op.token(), source, route, initiator);
      return Posted.TAKEN;
    }
    if (result == -Fi.FI_EAGAIN) {
      return Posted.REFUSED;
    }
    lastError = fabric.error("fi_writemsg", result);
    return links.connectsInWrites() ? connecting((int) -result) : Posted.FAILED;
  }

  /** Who makes connections with the first write says then why it cannot. */
  private static Posted connecting(int error) {
    return switch (error) {
      case Fi.FI_ENETDOWN,
          Fi.FI_ENETUNREACH,
          Fi.FI_EHOSTUNREACH,
          Fi.FI_ETIMEDOUT,
          Fi.FI_EMFILE,
          ENFILE ->
          Posted.UNREACHABLE;
      case Fi.FI_ECONNREFUSED, Fi.FI_ECONNRESET, EPIPE -> Posted.NO_WAY;
      default -> Posted.FAILED;
    };
  }

  /**
   * Short ones go with the call: the provider then needs not look at their memory later. It reads
   * them by the CPU, so this is for memory of the host.
   */
  private long flagsOf(Operation op, FabricMemory source) {
    long imm = op.hasImm() ? Fi.FI_REMOTE_CQ_DATA : 0;
    boolean isInjected = op.length() <= injectBytes && source.device().equals(Device.HOST);
    return flags | imm | (isInjected ? Fi.FI_INJECT : 0);
  }

  /**
   * Ends what is out to a peer. It is reported as failed by the next polls, when its endpoints are
   * closed and nothing of it is read any more.
   */
  void disconnect(FabricPeer peer, int code, String text) {
    links.disconnect(peer, code, text);
    endpointsChanged();
  }

  /**
   * Complete when what lay in the queue was read, and no endpoint is open that is to be closed: of
   * those that were disconnected nothing comes then, unless they are not connected at all.
   */
  CompletionStage<Void> fence() {
    CompletableFuture<Void> fence = new CompletableFuture<>();
    fences.add(fence);
    return fence;
  }

  /** Of a peer to which nothing is out. */
  void release(FabricPeer peer) {
    links.release(peer);
  }

  /** Of memory to which nothing is out. */
  void release(Route route) {
    route.peer().left(route);
    route.leave().forEach(links::forget);
  }

  /**
   * Endpoints were closed: what they had completed before lies in the queue, and what they cancel
   * was put there, too. So from now on it is read to its end, before anything is said of the rest.
   */
  void endpointsChanged() {
    abandoned = true;
    drained = false;
    readSince = 0;
  }

  /** Whether an endpoint is to be closed that the provider keeps open still. */
  boolean isClosing() {
    return fabric.isClosing();
  }

  /**
   * Reads what is complete and what has arrived, a bounded number.
   *
   * @throws BackendException if an endpoint was to be closed and cannot be
   */
  int poll(CompletionSink sink, Handler handler) {
    int work = 0;
    if (fabric.isClosing()) {
      work = fabric.closeAgain();
      endpointsChanged();
    }
    boolean more = true;
    for (int batch = 0; batch < BATCHES && more; batch++) {
      long count = fabric.lib.fi_cq_read(fabric.queue(), entriesAddress, BATCH);
      if (count == -Fi.FI_EAVAIL) {
        int errors = readErrors(handler, sink);
        work += errors;
        more = errors > 0; // else none of those that it says there are is given
        noteRead(more ? errors : count);
        continue;
      }
      noteRead(count);
      if (accelerators.areWritten() && haveArrivals(count)) {
        accelerators.flush();
      }
      for (long i = 0; i < count; i++) {
        completed(entriesAddress + i * FiLayout.ENTRY_BYTES, sink);
      }
      work += (int) Math.max(0, count);
      more = count == BATCH;
      if (!more && mustDrain()) {
        // Fewer than asked for are not all if an error comes next.
        int errors = readErrors(handler, sink);
        work += errors;
        more = errors > 0;
        drained = !more;
      }
    }
    readSince += work;
    return work;
  }

  private boolean mustDrain() {
    return abandoned && !hasReadAll();
  }

  /** Whether all that was in the queue when an endpoint was closed was read, or nothing will be. */
  private boolean hasReadAll() {
    return drained || broken != null || readSince >= MOST_TO_DRAIN + slots.count();
  }

  private void noteRead(long result) {
    if (result >= 0 || result == -Fi.FI_EAGAIN) {
      failedReads = 0;
    } else if (++failedReads == MOST_FAILED_READS) {
      BackendException cause = fabric.error("fi_cq_read", result);
      broken = new Failure(0, cause.code(), String.valueOf(cause.getMessage()));
    }
  }

  /** Why nothing will be heard of writes any more; null as long as they are heard of. */
  @Nullable Failure broken() {
    return broken;
  }

  private boolean haveArrivals(long count) {
    for (long i = 0; i < count; i++) {
      if (isArrival(entriesAddress + i * FiLayout.ENTRY_BYTES)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Some providers set the first flag on their own completions, too, and some do not say FI_RMA.
   */
  private static boolean isArrival(long entry) {
    long flags = LibFabric.flags(entry);
    return (flags & (Fi.FI_REMOTE_CQ_DATA | Fi.FI_WRITE)) == Fi.FI_REMOTE_CQ_DATA;
  }

  /** Of a write of no bytes it may be unknown, too. */
  private long lengthOf(long arrival) {
    long length = saysLengths ? LibFabric.length(arrival) : 0;
    return length > 0 ? length : CompletionSink.UNKNOWN_BYTES;
  }

  private void completed(long entry, CompletionSink sink) {
    if (isArrival(entry)) {
      sink.immArrived((int) LibFabric.data(entry), lengthOf(entry));
      return;
    }
    int slot = slots.slotOfContext(LibFabric.context(entry));
    if (slot >= 0) {
      boolean wasThere = slots.isSourceAlive(slot);
      slots.release(slot);
      if (wasThere) {
        sink.written(slots.token(slot));
      } else { // nobody knows what was sent
        sink.failed(slots.token(slot), 0, FabricMemory.SOURCE_FREED);
      }
    }
  }

  /** All that there are: each is a write of its own. */
  private int readErrors(Handler handler, CompletionSink sink) {
    int read = 0;
    while (read < slots.count() + BATCH) {
      error.fill((byte) 0);
      if (fabric.lib.fi_cq_readerr(fabric.queue(), error.address()) != 1) {
        break;
      }
      read++;
      int slot = slots.slotOfContext(LibFabric.errorContext(error.address()));
      if (slot >= 0) { // else it was reported before, or came to this side: then its origin is told
        end(
            slot,
            new Failure(0, LibFabric.error(error.address()), fabric.text(error.address())),
            handler,
            sink);
      }
    }
    return read;
  }

  /**
   * Reports what was out through endpoints that are closed, and of which nothing was in the queue.
   */
  int reportAbandoned(CompletionSink sink, Handler handler) {
    if (!abandoned || !hasReadAll()) {
      return 0;
    }
    abandoned = false;
    int reported = 0;
    for (int slot = 0; slot < slots.count(); slot++) {
      Initiator initiator = slots.initiator(slot);
      Failure why = initiator == null ? null : initiator.closed();
      if (why != null) {
        end(slot, why, handler, sink);
        reported++;
      }
    }
    if (fabric.isClosing()) {
      endpointsChanged(); // whoever closes it, the queue is read once more
    } else {
      List<CompletableFuture<Void>> done = List.copyOf(fences);
      fences.clear();
      done.forEach(fence -> fence.complete(null));
    }
    return reported;
  }

  private void end(int slot, Failure why, Handler handler, CompletionSink sink) {
    Route route = slots.route(slot);
    Initiator initiator = slots.initiator(slot);
    if (route == null || initiator == null) {
      return;
    }
    long token = slots.token(slot);
    slots.release(slot);
    Failure closed = initiator.closed();
    if (closed == null || initiator.isBroken()) {
      handler.failed(route, new Failure(token, why.code(), why.text()));
    } else {
      handler.ended(route, new Failure(token, closed.code(), closed.text()), sink);
    }
  }
}
