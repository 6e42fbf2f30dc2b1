package io.reactivetransfer.engine.origin;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The posting of flights on the NICs of one engine: whose turn it is. Peers take turns, and so do
 * the streams to one peer. The flights of one stream are posted one after another.
 */
public final class NicGroup {

  /** Pieces of one stream before the next stream to the same peer has its turn. */
  private static final int STREAM_QUANTUM = 32;

  /** Pieces to one peer before the next peer has its turn. */
  private static final int PEER_QUANTUM = 256;

  private final int nics;
  private final SendQueues queues;
  private final long maxPieceBytes;
  private final long minPieceBytes;
  private final int maxRows;
  private final int maxGather;
  private final boolean delivers;
  private final ArrayDeque<Outbound> ring = new ArrayDeque<>();

  public NicGroup(Nics nics, EngineOptions options, Counters counters) {
    this.nics = nics.size();
    this.queues = new SendQueues(nics, options, counters);
    this.minPieceBytes = options.minPieceBytes();
    this.maxPieceBytes =
        Arrays.stream(nics.domains())
            .map(Domain::capabilities)
            .mapToLong(Capabilities::maxWriteBytes)
            .min()
            .orElse(Long.MAX_VALUE);
    this.maxRows =
        Arrays.stream(nics.domains())
            .map(Domain::capabilities)
            .mapToInt(Capabilities::maxRows)
            .min()
            .orElse(1);
    this.maxGather =
        Arrays.stream(nics.domains())
            .map(Domain::capabilities)
            .mapToInt(Capabilities::maxGather)
            .min()
            .orElse(1);
    this.delivers = nics.completionLevel() == CompletionLevel.DELIVERED;
  }

  /** The length of the pieces into which a write of this length from there is cut. */
  long writePieceBytes(long length, RegisteredRegion source) {
    int ways = Integer.bitCount(source.nearNics());
    return Sharding.pieceBytes(length, ways, minPieceBytes, maxPieceBytes);
  }

  /** The length of the pieces into which a page is cut: pages are spread, not parts of pages. */
  long pagePieceBytes(long length) {
    return Math.min(length, maxPieceBytes);
  }

  /**
   * How a page that consists of rows is cut.
   *
   * @param unused what is used for it, if there is one
   * @param counts whether the target is told
   * @throws TransferRejectedException if it cannot be known when the target may be told: that the
   *     pieces without an immediate have come
   */
  RowCut cutRows(@Nullable RowCut unused, PagedWrite.Rows rows, boolean counts) {
    RowCut cut = (unused == null ? new RowCut() : unused).cut(rows, maxRows, maxPieceBytes);
    if (counts) {
      requireCounted(cut, rows, maxRows);
    }
    return cut;
  }

  /**
   * How rows that are gathered and counted are cut. As above.
   *
   * @param unused what is used for it, if there is one
   * @param size how many rows the list had when it was looked at; 1 or more
   */
  RowCut cutGathered(@Nullable RowCut unused, GatherList list, int size, RegisteredRegion source) {
    int ways = Integer.bitCount(source.nearNics());
    RowCut cut =
        (unused == null ? new RowCut() : unused)
            .cut(list, size, maxGather, maxPieceBytes, ways, minPieceBytes);
    requireCounted(cut, list, maxGather);
    return cut;
  }

  private void requireCounted(RowCut cut, Object rows, int most) {
    if (!canCount(cut)) {
      throw new TransferRejectedException(
          "expected pages that are at most "
              + WireImm.MAX_PIECES
              + " writes, as nobody knows when a write has come over NICs that say SOURCE_FREE, got"
              + " "
              + rows
              + ", which is "
              + cut.pieces()
              + " writes of up to "
              + most
              + " rows and "
              + maxPieceBytes
              + " bytes");
    }
  }

  /** How many rows every NIC gathers with one operation. From any thread. */
  public int maxGather() {
    return maxGather;
  }

  /** Whether pages of these rows may have an immediate. From any thread. */
  public boolean canCount(PagedWrite.Rows rows) {
    return rows.areWhole() || canCount(new RowCut().cut(rows, maxRows, maxPieceBytes));
  }

  /** The same for rows that are gathered, as the list says now. From any thread. */
  public boolean canCount(GatherList list) {
    int size = list.size();
    // To spread them makes no more pieces than NICs, which may be as many as can be counted.
    return size == 0
        || canCount(new RowCut().cut(list, size, maxGather, maxPieceBytes, 1, minPieceBytes));
  }

  private boolean canCount(RowCut cut) {
    return delivers || cut.pieces() == cut.countedPieces();
  }

  /** Up to which length a write is one piece. */
  long wholeBytes() {
    return nics == 1 ? maxPieceBytes : Math.min(minPieceBytes, maxPieceBytes);
  }

  /** Lets a flight take part in posting. */
  void enqueue(Flight flight) {
    Outbound peer = flight.to();
    peer.waiting.add(flight);
    admit(peer);
  }

  /** Lets a flight go on that has posted something before. */
  void resume(Flight flight) {
    Outbound peer = flight.to();
    peer.waiting.resume(flight);
    admit(peer);
  }

  /** Lets what waits for a peer take part in posting. */
  void admit(Outbound peer) {
    if (!peer.inRing && !peer.waiting.isEmpty()) {
      peer.inRing = true;
      ring.addLast(peer);
    }
  }

  /** Posts what can be posted of a new flight at once, unless others wait; the rest is enqueued. */
  void launch(Flight flight) {
    if (ring.isEmpty()) {
      Outbound peer = flight.to();
      queues.begin(peer);
      try {
        postSome(flight, PEER_QUANTUM);
      } finally {
        queues.end(peer);
      }
    }
    if (flight.hasMore()) {
      enqueue(flight);
    }
  }

  void dequeue(Flight flight) {
    flight.to().waiting.remove(flight);
  }

  /**
   * Begins to post new flights of one piece from one region to one peer, one after another; {@link
   * #endLaunches} ends it.
   *
   * @return how many there may be; none if others wait
   */
  int beginLaunches(Outbound peer, RegisteredRegion source) {
    int room = queues.begin(peer);
    queues.from(source);
    return ring.isEmpty() ? room : 0;
  }

  /** Posts the next one, or has it wait; returns whether another one may follow. */
  boolean launchNext(Flight flight, Run run) {
    if (queues.hasRoomFor(flight.share()) && queues.post(flight, run)) {
      return true;
    }
    enqueue(flight);
    return false;
  }

  void endLaunches(Outbound peer) {
    queues.end(peer);
  }

  /** Posts what the NICs take, every peer once at most. */
  public void post() {
    queues.beginTurn();
    for (int turns = ring.size(); turns > 0 && !queues.areExhausted(); turns--) {
      Outbound peer = ring.removeFirst();
      if (peer.link.isOpen()) {
        postTo(peer);
      }
      if (peer.waiting.isEmpty() || !peer.link.isOpen()) {
        peer.inRing = false;
      } else {
        ring.addLast(peer);
      }
    }
    queues.flush();
  }

  private void postTo(Outbound peer) {
    queues.begin(peer);
    try {
      Flight flight;
      int left = PEER_QUANTUM;
      while (left > 0 && (flight = peer.waiting.peek()) != null) {
        left -= postSome(flight, STREAM_QUANTUM);
        boolean more = flight.hasMore();
        if (more && !queues.hasRoomFor(flight.share())) {
          return; // it was stopped short, and keeps its turn
        }
        peer.waiting.nextTurn();
        if (!more) {
          peer.waiting.remove(flight);
        }
      }
    } finally {
      queues.end(peer);
    }
  }

  /** Posts some pieces of a flight, as long as NICs take them; returns how many. */
  private int postSome(Flight flight, int quantum) {
    Run run = flight.run();
    queues.from(run.source());
    long bytes = flight.share();
    int posted = 0;
    while (posted < quantum
        && flight.hasMore()
        && queues.hasRoomFor(bytes)
        && queues.post(flight, run)) {
      posted++;
    }
    return posted;
  }

  /** Has the NICs begin with what they have taken over. */
  public void flush() {
    queues.flush();
  }

  /** Ends a turn: brings the counters up to date; returns how many pieces were posted in it. */
  public int endTurn() {
    return queues.endTurn();
  }

  /** Notes that so many pieces of a flight have left this NIC. */
  void completed(int nic, Flight flight, int pieces) {
    queues.completed(nic, flight, pieces);
  }

  /** Notes that what is out of a flight will never be reported. */
  void abandoned(Flight flight) {
    queues.abandoned(flight);
  }
}
