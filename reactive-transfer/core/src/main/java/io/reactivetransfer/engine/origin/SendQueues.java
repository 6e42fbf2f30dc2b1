package io.reactivetransfer.engine.origin;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Traffic;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the NICs of one engine have in flight, and the posting of one piece after another to one
 * peer: each on the next NIC, in rotation, that takes it, so that a slow NIC delays its own pieces
 * only. Those from memory that some NICs are near to go over these, as long as one of them takes
 * them. A silent way gets nothing as long as another one is left, though all others refuse for the
 * moment: see {@link Ways}. What does not change between {@link #begin} and {@link #end} is looked
 * at once.
 */
final class SendQueues {

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
    private final Traffic traffic;
    private final int depth;
    private final Operation op = new Operation();
    private int outstanding;
    private long ended;
    private long bytes;

    /** Between whose regions the operation goes, since {@link #begin}. */
    private @Nullable Run described;

    SendQueue(Domain domain, Traffic traffic, int depth) {
      this.domain = domain;
      this.traffic = traffic;
      this.depth = depth;
      traffic.depth(depth);
    }
  }

  private final Nics nics;
  private final SendQueue[] queues;
  private final int allNics;
  private final int peerDepth;
  private final long peerBytes;
  private final long allDepth;
  private final long share;
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

  // of what is posted to one peer, from begin() to end()

  /** Those that are silent while another way is left, as a set of bits. */
  private int avoided;

  /** Those that take nothing of it now, as a set of bits. */
  private int unable;

  /**
   * The same, and those that are far from the memory that it is posted from, as long as one that is
   * near takes something.
   */
  private int refusing;

  /** What the peer may have in flight beside what it had, and what is left of that. */
  private int roomPieces;

  private long roomBytes;
  private int leftPieces;
  private long leftBytes;

  /** What all NICs had taken over before, in bytes. */
  private long bytesBefore;

  /**
   * Whether it has nothing in flight, or only what is stuck on silent ways: then it may have one
   * piece, however long that is.
   */
  private boolean isIdle;

  SendQueues(Nics nics, EngineOptions options, Counters counters) {
    this.nics = nics;
    this.allNics = nics.all();
    this.peerDepth = options.peerDepth();
    this.peerBytes = options.peerBytes();
    this.counters = counters;
    Domain[] domains = nics.domains();
    this.queues = new SendQueue[domains.length];
    for (int nic = 0; nic < domains.length; nic++) {
      int depth = Math.min(options.nicDepth(), domains[nic].capabilities().queueDepth());
      queues[nic] = new SendQueue(domains[nic], nics.traffic(nic), depth);
    }
    this.allDepth = Arrays.stream(queues).mapToLong(queue -> queue.depth).sum();
    this.share = allDepth < MIN_DIVIDED ? allDepth : SHARE;
  }

  /** A new turn of posting: those that were busy are asked again. */
  void beginTurn() {
    busy = 0;
  }

  /** Whether none can take anything now, whoever it goes to. */
  boolean areExhausted() {
    return (nics.failed() | full | busy) == allNics;
  }

  // ---- one piece after another ----

  /**
   * Begins to post to a peer; {@link #end} must follow.
   *
   * @return how many pieces there may be, if they are short enough
   */
  int begin(Outbound peer) {
    int lost = nics.failed() | peer.link.lostWays();
    avoided = peer.ways.avoided(lost);
    unable = lost | avoided | full | busy;
    refusing = unable;
    bytesBefore = 0;
    for (SendQueue queue : queues) {
      queue.described = null;
      bytesBefore += queue.bytes;
    }
    int out = peer.outstanding;
    long fair = Math.ceilDiv(share * (allDepth - inFlight) - out, share + 1);
    long room = Math.min(peerDepth - out, fair);
    isIdle = out == 0 || (avoided != 0 && out == peer.ways.out(avoided));
    roomPieces = (int) Math.max(room, isIdle ? 1 : 0);
    roomBytes = peerBytes - peer.outstandingBytes;
    leftPieces = roomPieces;
    leftBytes = roomBytes;
    return refusing == allNics ? 0 : roomPieces;
  }

  /** What follows is posted from there. */
  void from(RegisteredRegion source) {
    refusing = unable | (allNics & ~source.nearNics());
    if (refusing == allNics) {
      refusing = unable;
    }
  }

  /** One takes nothing more; the far ones do, then, if it was the last of the near ones. */
  private void refuses(int bit) {
    unable |= bit;
    refusing |= bit;
    if (refusing == allNics) {
      refusing = unable;
    }
  }

  /** Whether a piece may follow that counts as so many bytes. */
  boolean hasRoomFor(long bytes) {
    return leftPieces > 0
        && refusing != allNics
        && (bytes <= leftBytes || (isIdle && leftPieces == roomPieces));
  }

  /** Posts the next piece of a flight for which there is room; false if no NIC takes it now. */
  @SuppressWarnings("ReferenceEquality") // the very same run
  boolean post(Flight flight, Run run) {
    do {
      int nic = next;
      next = nic + 1 == queues.length ? 0 : nic + 1;
      int bit = 1 << nic;
      if ((refusing & bit) != 0) {
        continue;
      }
      SendQueue queue = queues[nic];
      Operation op = queue.op;
      boolean first = queue.described != run;
      if (first) {
        op.between(run.source().local(nic), run.target().memory(nic));
      }
      flight.describe(op);
      PostResult result = queue.domain.post(op);
      if (result.isTaken()) {
        if (first) {
          queue.described = run;
          unflushed |= bit;
          run.lane().submission().posted(); // at least with the first piece of a stream
        }
        flight.advance();
        leftPieces--;
        leftBytes -= flight.share();
        queue.bytes += op.length();
        flight.to().ways.posted(nic);
        if (++queue.outstanding == queue.depth) {
          full |= bit;
          refuses(bit);
        }
        return true;
      }
      queue.traffic.refused();
      flight.to().traffic.refused();
      refuses(bit);
      busy |= result == PostResult.NIC_BUSY ? bit : 0;
    } while (refusing != allNics);
    return false;
  }

  /** Takes note of what was posted since {@link #begin}. */
  void end(Outbound peer) {
    int pieces = roomPieces - leftPieces;
    peer.outstanding += pieces;
    peer.outstandingBytes += roomBytes - leftBytes;
    inFlight += pieces;
    writesPosted += pieces;
    if (avoided != 0 && unable == allNics) {
      peer.ways.heldBack();
    }
    if (pieces > 0) {
      long bytes = -bytesBefore;
      for (SendQueue queue : queues) {
        bytes += queue.bytes;
      }
      peer.traffic.posted(pieces, bytes);
    }
  }

  // ---- what becomes of them ----

  /** So many pieces of a flight have left this NIC. */
  void completed(int nic, Flight flight, int pieces) {
    Outbound peer = flight.to();
    SendQueue queue = queues[nic];
    queue.outstanding -= pieces;
    queue.ended += pieces;
    full &= ~(1 << nic);
    flight.outstanding -= pieces;
    peer.outstanding -= pieces;
    peer.ways.ended(nic, pieces);
    peer.traffic.ended(pieces);
    peer.outstandingBytes -= pieces * flight.share();
    inFlight -= pieces;
  }

  /** What is out of a flight will never be reported. */
  void abandoned(Flight flight) {
    Outbound peer = flight.to();
    inFlight -= flight.outstanding;
    peer.outstanding -= flight.outstanding;
    peer.traffic.ended(flight.outstanding);
    peer.outstandingBytes -= flight.outstanding * flight.share();
    flight.outstanding = 0;
  }

  /** Has the NICs begin with what they have taken over. */
  void flush() {
    while (unflushed != 0) {
      int nic = Integer.numberOfTrailingZeros(unflushed);
      unflushed &= unflushed - 1;
      queues[nic].domain.flush();
    }
  }

  /** Ends a turn: brings the counters up to date; returns how many pieces were posted in it. */
  int endTurn() {
    int inTurn = (int) (writesPosted - writesCounted);
    writesCounted = writesPosted;
    for (int nic = 0; nic < queues.length; nic++) {
      SendQueue queue = queues[nic];
      long posted = queue.ended + queue.outstanding;
      if (nics.hasFailed(nic)) {
        queue.traffic.depth(0);
      }
      // of what is out when NICs are closed, nobody reports
      queue.traffic.set(posted, queue.bytes, inFlight == 0 ? posted : queue.ended);
    }
    counters.set(Counters.WRITES_IN_FLIGHT, inFlight);
    return inTurn;
  }
}
