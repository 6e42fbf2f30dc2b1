package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Turns finished layers into writes, and checks that every token of every layer comes once. Layers
 * are given by one thread at a time, and so is what is done, by another one.
 */
final class KvWrites {

  private final KvMemory memory;
  private final KvMessage.Request request;
  private final @Nullable KvCuts cuts;
  private final @Nullable MemorySlice tail;
  private final List<RemoteRegion> targets = new ArrayList<>();
  private final TransferEngine engine;
  private final @Nullable TokensSeen seen;

  /** What was begun, by each of its transfers. Guarded by itself. */
  private final IdentityHashMap<Transfer, Piece> pieces = new IdentityHashMap<>();

  private final AtomicLong arrivals = new AtomicLong();

  /** One finished layer on its way. */
  private static final class Piece {
    final KvWritten written;
    int left;

    Piece(KvWritten written, int left) {
      this.written = written;
      this.left = left;
    }
  }

  KvWrites(
      KvPrefill owner, KvRequest request, @Nullable PageList pages, @Nullable MemorySlice tail) {
    this.engine = owner.cache().engine;
    this.memory = owner.memory();
    this.request = request.message();
    this.tail = tail;
    KvMessage.Target target = this.request.target();
    KvMapping mapping = request.mapping();
    PageList wanted = target.pages();
    if (mapping == null || pages == null || wanted == null) {
      this.cuts = null;
      this.seen = null;
    } else {
      this.cuts = mapping.cuts(this.request.span(), pages, wanted);
      this.seen = new TokensSeen(mapping.firstLayer(), mapping.layers(), this.request.span());
      target.regions().forEach(region -> targets.add(engine.remote(region)));
    }
  }

  /** Refuses what this request did not ask for. */
  static void requireFits(KvRequest request, @Nullable PageList pages, @Nullable MemorySlice tail) {
    int size = pages == null ? 0 : pages.size();
    if (size != request.pages()) {
      throw new IllegalArgumentException(
          "expected " + request.pages() + " source pages, got " + size);
    }
    int pool = request.owner().memory().layout().pages();
    if (pages != null && pages.largest() >= pool) {
      throw new IllegalArgumentException(
          "expected source pages of 0 to " + (pool - 1) + ", got " + pages.largest());
    }
    if ((tail != null) != request.wantsTail()) {
      throw new IllegalArgumentException(
          request.wantsTail()
              ? "expected a tail, which " + request + " wants, got none"
              : "expected no tail, which " + request + " does not want, got one");
    }
    if (tail != null) {
      requireOwn(tail.region(), request.owner().cache().engine);
    }
    if (tail != null && tail.length() > request.tailBytes()) {
      throw new IllegalArgumentException(
          "expected a tail of at most " + request.tailBytes() + " bytes, got " + tail.length());
    }
  }

  /** What no write of this engine could read. */
  private static void requireOwn(MemoryRegion region, TransferEngine engine) {
    if (region.isClosed()) {
      throw new IllegalArgumentException(
          "expected a tail in an open region, got one in a closed region");
    }
    EngineId owner = region.engine();
    if (!owner.equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected a tail that is registered with this node's engine "
              + engine.id().toShortString()
              + ", got one of engine "
              + owner.toShortString());
    }
  }

  /** The writes of one finished layer, or chunk of it; none if decode does not want it. */
  List<Transfer> layer(FinishedLayer finished) {
    int layer = finished.layer();
    KvLayout ours = memory.layout();
    if (!ours.hasLayer(layer) || cuts == null || seen == null) {
      throw new IndexOutOfBoundsException(
          "expected a layer of "
              + ours.firstLayer()
              + " to "
              + (ours.endLayer() - 1)
              + ", got "
              + layer);
    }
    KvSpan span = finished.span();
    if (!request.span().contains(span)) {
      throw new IndexOutOfBoundsException(
          "expected a chunk of layer " + layer + " within " + request.span() + ", got " + span);
    }
    if (!seen.wants(layer)) {
      return List.of();
    }
    seen.add(layer, span);
    List<KvTransferPart> parts =
        span.equals(request.span()) ? cuts.layer(layer) : cuts.layer(layer, span);
    Imm imm = request.imms().ofLayer(request.target().layout(), layer);
    List<Transfer> writes = new ArrayList<>(parts.size());
    long bytes = 0;
    for (KvTransferPart part : parts) {
      writes.add(RowWrites.of(part, memory.regions(), targets, imm));
      bytes += part.bytes();
    }
    begun(writes, new KvWritten.Layer(layer, span, bytes));
    return writes;
  }

  /** The last write, when all else has come. */
  List<Transfer> tail() {
    if (seen != null) {
      seen.requireAll();
    }
    KvMessage.Tail target = request.target().tail();
    if (tail == null || target == null) {
      return List.of();
    }
    List<Transfer> writes =
        List.of(
            WriteImm.of(
                tail,
                engine.remote(target.region()).slice(target.offset(), tail.length()),
                request.imms().ofTail()));
    begun(writes, new KvWritten.Tail(tail.length()));
    return writes;
  }

  private void begun(List<Transfer> writes, KvWritten written) {
    Piece piece = new Piece(written, writes.size());
    synchronized (pieces) {
      writes.forEach(write -> pieces.put(write, piece));
    }
  }

  /** Completes when no transfer of anybody reads the memory any more that these are read from. */
  Mono<Void> sourcesQuiesced() {
    Set<MemoryRegion> regions = Collections.newSetFromMap(new IdentityHashMap<>());
    regions.addAll(memory.regions());
    if (tail != null) {
      regions.add(tail.region());
    }
    return Flux.fromIterable(regions).concatMap(MemoryRegion::quiesced).then();
  }

  /** The engine takes it: not all that was begun gets so far. */
  void taken(Transfer write) {
    arrivals.addAndGet(write.arrivals());
  }

  /** What the engine has taken so far will raise decode's counters by so much. */
  long arrivals() {
    return arrivals.get();
  }

  /** What is done with a write that is; null if more belongs to it. */
  @Nullable KvWritten written(Transfer done) {
    synchronized (pieces) {
      Piece piece = pieces.remove(done);
      return piece != null && --piece.left == 0 ? piece.written : null;
    }
  }
}
