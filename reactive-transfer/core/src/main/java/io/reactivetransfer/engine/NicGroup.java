package io.reactivetransfer.engine;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.WriteOp;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The NICs of one worker, and the posting of flights on them. A piece goes to the next NIC, in
 * rotation, that takes it: a slow NIC delays its own pieces only. Peers take turns, and so do the
 * flights to one peer.
 */
final class NicGroup {

  /** Pieces of one flight before the next flight to the same peer has its turn. */
  private static final int FLIGHT_QUANTUM = 32;

  /** Pieces to one peer before the next peer has its turn. */
  private static final int PEER_QUANTUM = 256;

  private final List<Nic> nics;
  private final Domain[] domains;
  private final int[] depth;
  private final int[] outstanding;
  private final int peerDepth;
  private final long maxPieceBytes;
  private final long minPieceBytes;
  private final ArrayDeque<PeerLink> ring = new ArrayDeque<>();
  private final WriteOp op = new WriteOp();
  private final Counters counters;
  private int next;
  private int posted;
  private boolean closed;

  NicGroup(List<Nic> nics, List<Domain> domains, EngineOptions options, Counters counters) {
    this.nics = List.copyOf(nics);
    this.domains = domains.toArray(Domain[]::new);
    this.depth = new int[this.domains.length];
    this.outstanding = new int[this.domains.length];
    this.peerDepth = options.peerDepth();
    this.minPieceBytes = options.minPieceBytes();
    this.counters = counters;
    long max = Long.MAX_VALUE;
    for (int nic = 0; nic < this.domains.length; nic++) {
      Capabilities can = this.domains[nic].capabilities();
      depth[nic] = Math.min(options.nicDepth(), can.queueDepth());
      max = Math.min(max, can.maxWriteBytes());
    }
    this.maxPieceBytes = max;
  }

  Domain[] domains() {
    return domains;
  }

  List<Nic> nics() {
    return nics;
  }

  /** The weakest of the NICs' levels. */
  CompletionLevel completionLevel() {
    for (Domain domain : domains) {
      if (domain.capabilities().completion() == CompletionLevel.SOURCE_FREE) {
        return CompletionLevel.SOURCE_FREE;
      }
    }
    return CompletionLevel.DELIVERED;
  }

  int size() {
    return domains.length;
  }

  Origin origin(int nic, int code) {
    return new Origin(null, nics.get(nic).name(), code);
  }

  /** The length of the pieces into which a write of this length is cut. */
  long writePieceBytes(long length) {
    return Sharding.pieceBytes(length, domains.length, minPieceBytes, maxPieceBytes);
  }

  /** The length of the pieces into which a page is cut: pages are spread, not parts of pages. */
  long pagePieceBytes(long length) {
    return Math.min(length, maxPieceBytes);
  }

  /** Lets a flight take part in posting. */
  void enqueue(Flight flight) {
    PeerLink peer = flight.peer();
    peer.waiting.add(flight);
    if (!peer.inRing) {
      peer.inRing = true;
      ring.addLast(peer);
    }
  }

  void dequeue(Flight flight) {
    flight.peer().waiting.remove(flight);
  }

  /** Posts what the NICs take, every peer once at most. Returns the number of pieces. */
  int post() {
    posted = 0;
    for (int turns = ring.size(); turns > 0; turns--) {
      PeerLink peer = ring.removeFirst();
      postTo(peer);
      if (peer.waiting.isEmpty()) {
        peer.inRing = false;
      } else {
        ring.addLast(peer);
      }
    }
    return posted;
  }

  /** Notes that a piece has left this NIC. */
  void completed(int nic, Flight flight) {
    outstanding[nic]--;
    flight.outstanding--;
    flight.peer().outstanding--;
    counters.writesInFlight.add(-1);
  }

  boolean isClosed() {
    return closed;
  }

  void close() {
    if (!closed) {
      closed = true;
      for (Domain domain : domains) {
        domain.close();
      }
    }
  }

  private void postTo(PeerLink peer) {
    int limit = posted + PEER_QUANTUM;
    int refusing = 0;
    for (int nic = 0; nic < domains.length; nic++) {
      if (outstanding[nic] >= depth[nic]) {
        refusing |= 1 << nic;
      }
    }
    int all = (1 << domains.length) - 1;
    Flight flight;
    while (posted < limit && refusing != all && (flight = peer.waiting.peek()) != null) {
      for (int quantum = FLIGHT_QUANTUM;
          quantum > 0 && flight.hasMore() && refusing != all && peer.outstanding < peerDepth;
          quantum--) {
        flight.locate();
        refusing = postPiece(flight, refusing, all);
      }
      if (!flight.hasMore()) {
        peer.waiting.remove(flight);
      } else if (peer.outstanding >= peerDepth) {
        break;
      } else {
        peer.waiting.rotate(flight);
      }
    }
  }

  /** Posts one piece on the next NIC that takes it; returns the NICs that refuse now. */
  private int postPiece(Flight flight, int refusing, int all) {
    while (refusing != all) {
      int nic = next;
      next = nic + 1 == domains.length ? 0 : nic + 1;
      if ((refusing & 1 << nic) != 0) {
        continue;
      }
      fill(flight, nic);
      if (domains[nic].post(op)) {
        flight.advance();
        flight.peer().outstanding++;
        counters.posted(flight.pieceLength);
        posted++;
        return ++outstanding[nic] >= depth[nic] ? refusing | 1 << nic : refusing;
      }
      refusing |= 1 << nic;
    }
    return refusing;
  }

  /** A shard is the pair (nic, op): what is filled for one NIC is posted on that one only. */
  private void fill(Flight flight, int nic) {
    op.between(Flight.known(flight.source).local(nic), Flight.known(flight.target).memory(nic))
        .range(flight.pieceSourceOffset, flight.pieceTargetOffset, flight.pieceLength)
        .token(flight.token());
    if (flight.pieceHasImm()) {
      op.withImm(flight.wireImm());
    } else {
      op.withoutImm();
    }
  }
}
