package io.reactivetransfer.engine.origin;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The posting of flights on the NICs of one engine. A piece goes to the next NIC, in rotation, that
 * takes it: a slow NIC delays its own pieces only. Peers take turns, and so do the streams to one
 * peer, and the flights of one stream.
 */
public final class NicGroup {

  /** Pieces of one flight before the next flight to the same peer has its turn. */
  private static final int FLIGHT_QUANTUM = 32;

  /** Pieces to one peer before the next peer has its turn. */
  private static final int PEER_QUANTUM = 256;

  /**
   * A peer has at most so many times what is left for others: then there is something left for the
   * next one, though several take nothing.
   */
  private static final int SHARE = 2;

  /** Fewer places than this are not worth dividing. */
  private static final int MIN_DIVIDED = 16;

  /** What one NIC has in flight, and what is given to it: that is posted on no other. */
  private static final class SendQueue {
    private final Domain domain;
    private final int depth;
    private final Operation op = new Operation();
    private int outstanding;

    SendQueue(Domain domain, int depth) {
      this.domain = domain;
      this.depth = depth;
    }
  }

  private final Nics nics;
  private final Domain[] domains;
  private final SendQueue[] queues;
  private final int allNics;
  private final int peerDepth;
  private final long peerBytes;
  private final long allDepth;
  private final long share;
  private final long maxPieceBytes;
  private final long minPieceBytes;
  private final ArrayDeque<Outbound> ring = new ArrayDeque<>();
  private final Counters counters;

  /** Those that have as much in flight as they may, as a set of bits. */
  private int full;

  /** Those that were asked in this turn, and would take nothing, as a set of bits. */
  private int busy;

  /** Those that have taken something over since they were flushed, as a set of bits. */
  private int unflushed;

  private int next;
  private int inFlight;
  private long writesPosted;
  private long writesCounted;
  private long bytesPosted;

  public NicGroup(Nics nics, EngineOptions options, Counters counters) {
    this.nics = nics;
    this.domains = nics.domains();
    this.queues = new SendQueue[domains.length];
    this.allNics = nics.all();
    this.peerDepth = options.peerDepth();
    this.peerBytes = options.peerBytes();
    this.minPieceBytes = options.minPieceBytes();
    this.counters = counters;
    long max = Long.MAX_VALUE;
    for (int nic = 0; nic < domains.length; nic++) {
      Capabilities can = domains[nic].capabilities();
      int depth = Math.min(options.nicDepth(), can.queueDepth());
      queues[nic] = new SendQueue(domains[nic], depth);
      max = Math.min(max, can.maxWriteBytes());
    }
    this.allDepth = Arrays.stream(queues).mapToLong(queue -> queue.depth).sum();
    this.share = allDepth < MIN_DIVIDED ? allDepth : SHARE;
    this.maxPieceBytes = max;
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
    Outbound peer = flight.to();
    peer.waiting.add(flight);
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
      postSome(flight, unusable(flight.to()), PEER_QUANTUM);
    }
    if (flight.hasMore()) {
      enqueue(flight);
    }
  }

  void dequeue(Flight flight) {
    flight.to().waiting.remove(flight);
  }

  /** The NICs over which nothing can go to a peer now, as a set of bits. */
  private int unusable(Outbound peer) {
    return nics.failed() | full | busy | peer.link.lostWays();
  }

  /** Has the NICs begin with what they have taken over. */
  public void flush() {
    while (unflushed != 0) {
      int nic = Integer.numberOfTrailingZeros(unflushed);
      unflushed &= unflushed - 1;
      domains[nic].flush();
    }
  }

  /** Posts what the NICs take, every peer once at most. */
  public void post() {
    busy = 0;
    for (int turns = ring.size(); turns > 0 && (nics.failed() | full | busy) != allNics; turns--) {
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
    flush();
  }

  /** Ends a turn: brings the counters up to date; returns how many pieces were posted in it. */
  public int endTurn() {
    int inTurn = (int) (writesPosted - writesCounted);
    if (inTurn != 0) {
      writesCounted = writesPosted;
      counters.set(Counters.WRITES_POSTED, writesPosted);
      counters.set(Counters.BYTES_POSTED, bytesPosted);
    }
    counters.set(Counters.WRITES_IN_FLIGHT, inFlight);
    return inTurn;
  }

  /** Notes that so many pieces of a flight have left this NIC. */
  void completed(int nic, Flight flight, int pieces) {
    Outbound peer = flight.to();
    queues[nic].outstanding -= pieces;
    full &= ~(1 << nic);
    flight.outstanding -= pieces;
    peer.outstanding -= pieces;
    peer.outstandingBytes -= pieces * flight.share();
    inFlight -= pieces;
  }

  /** Notes that what is out of a flight will never be reported. */
  void abandoned(Flight flight) {
    Outbound peer = flight.to();
    inFlight -= flight.outstanding;
    peer.outstanding -= flight.outstanding;
    peer.outstandingBytes -= flight.outstanding * flight.share();
    flight.outstanding = 0;
  }

  private void postTo(Outbound peer) {
    long limit = writesPosted + PEER_QUANTUM;
    int refusing = unusable(peer);
    Flight flight;
    while (writesPosted < limit && refusing != allNics && (flight = peer.waiting.peek()) != null) {
      refusing = postSome(flight, refusing, FLIGHT_QUANTUM);
      boolean more = flight.hasMore();
      if (more && (refusing == allNics || !hasRoomFor(flight, peer))) {
        return; // it was stopped short, and keeps its turn
      }
      peer.waiting.rotate(flight);
      if (!more) {
        peer.waiting.remove(flight);
      }
    }
  }

  /** Whether one more piece of this flight is within what its peer may have in flight. */
  private boolean hasRoomFor(Flight flight, Outbound peer) {
    int out = peer.outstanding;
    return out == 0
        || (out < peerDepth
            && out < share * (allDepth - inFlight)
            && peer.outstandingBytes + flight.share() <= peerBytes);
  }

  /**
   * Posts some pieces of a flight, each on the next NIC that takes it; returns the NICs that refuse
   * now.
   */
  private int postSome(Flight flight, int full, int quantum) {
    Outbound peer = flight.to();
    int refusing = full;
    int left = quantum;
    do {
      if (refusing == allNics || !hasRoomFor(flight, peer)) {
        break;
      }
      int nic = next;
      next = nic + 1 == queues.length ? 0 : nic + 1;
      if ((refusing & 1 << nic) != 0) {
        continue;
      }
      if (!post(flight, peer, nic)) {
        refusing |= 1 << nic;
        continue;
      }
      left--;
      refusing |= this.full | busy;
    } while (left > 0 && flight.hasMore());
    return refusing;
  }

  private boolean post(Flight flight, Outbound peer, int nic) {
    SendQueue queue = queues[nic];
    Operation op = queue.op;
    flight.describe(op, nic);
    PostResult result = queue.domain.post(op);
    if (!result.isTaken()) {
      busy |= result == PostResult.NIC_BUSY ? 1 << nic : 0;
      return false;
    }
    unflushed |= 1 << nic;
    flight.advance();
    peer.outstanding++;
    peer.outstandingBytes += flight.share();
    inFlight++;
    writesPosted++;
    bytesPosted += op.length();
    if (++queue.outstanding == queue.depth) {
      full |= 1 << nic;
    }
    return true;
  }
}
