package io.reactivetransfer.engine.origin;

import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * One transfer on its way to one peer, from the moment when the NIC thread took it over until no
 * NIC touches its memory. Reused: the token that a NIC sees names the slot and its present
 * generation.
 *
 * <p>A flight consists of units (one write, or the pages), each cut into pieces. Its pieces are
 * posted in one phase; or, when a unit has more pieces than may carry an immediate, in two: first
 * the leading ones, then, when these are done, the ones that are counted.
 */
final class Flight {

  final int slot;
  private int generation;

  /**
   * Its stream and its peer. Kept after its end, which costs nothing as lanes are reused, too: the
   * next life is mostly in the same one.
   */
  private @Nullable Lane lane;

  /** The slots of its neighbours in the lane; see {@link FlightTable}. */
  int before;

  int after;

  private @Nullable Transfer transfer;
  private int route;
  @Nullable Fan fan;
  @Nullable RegisteredRegion source;
  @Nullable ResolvedRegion target;

  private @Nullable PageList sourcePages;
  private @Nullable PageList targetPages;
  private long sourceStride;
  private long targetStride;
  private long sourceOffset;
  private long targetOffset;
  private long unitLength;
  private int units;
  private long pieceBytes;
  private long leadPerUnit;
  private int countedPerUnit;
  private boolean hasImm;
  private int wireImm;

  /** Whether it is one piece. */
  private boolean whole;

  private boolean leading;
  private long nextPiece;
  private long endPiece;
  int outstanding;

  /**
   * Whether it is all of its transfer, not of pages, and was neither held nor stopped: most are,
   * and end without a look at what is else to be known.
   */
  private boolean plain;

  private boolean stopped;
  private boolean truncated;
  private boolean over;
  private @Nullable TransferException failure;

  /**
   * When it must be over, by the NIC thread's clock; moved on by time in which that stood still.
   */
  long deadlineNanos;

  /** Whether it waits to be posted, and between which others; see {@link FlightQueue}. */
  boolean queued;

  @Nullable Flight ahead;
  @Nullable Flight behind;

  /** Why it is not posted yet, if it is held; see {@link GivenUp}. */
  GivenUp.@Nullable Entry held;

  /** The number of its target, if the owner waits until it is over; else 0. */
  private long drained;

  /** Pieces with the immediate that were reported as written, so are counted at the target. */
  private long counted;

  /** Whether one of them failed, and nobody knows whether it was counted. */
  private boolean inDoubt;

  Flight(int slot) {
    this.slot = slot;
  }

  /** Begins a new life. What the one before has left was cleared at its end. */
  @SuppressWarnings("ReferenceEquality") // the very same lane
  void begin(Lane lane, Transfer transfer, int route) {
    if (this.lane != lane) {
      this.lane = lane;
    }
    this.transfer = transfer;
    this.route = route;
    this.plain = true;
    this.over = false;
    this.drained = 0;
    this.counted = 0;
  }

  /** Makes it one of several of a transfer. */
  void join(Fan fan) {
    this.fan = fan;
    plain = false;
  }

  /** Its owner waits until it is over. */
  void drain(long region) {
    drained = region;
    plain = false;
  }

  long drained() {
    return drained;
  }

  /** Has it wait for its target; or not any more, which is null. */
  void hold(GivenUp.@Nullable Entry entry) {
    held = entry;
    plain = false;
  }

  /** Sets where it goes from and to. */
  void between(
      RegisteredRegion source, long sourceOffset, ResolvedRegion target, long targetOffset) {
    this.source = source;
    this.sourceOffset = sourceOffset;
    this.target = target;
    this.targetOffset = targetOffset;
  }

  /** Sets how one write of this length is cut. */
  void cutWrite(long length, long pieceBytes, int imm) {
    units = 1;
    cut(length, pieceBytes, imm);
  }

  /** Sets how pages are cut. */
  void cutPages(PagedWrite write, long pieceBytes, int imm) {
    plain = false;
    sourcePages = write.source().pages();
    targetPages = write.target().pages();
    sourceStride = write.source().stride();
    targetStride = write.target().stride();
    units = write.pages();
    cut(write.pageLength(), pieceBytes, imm);
  }

  /**
   * @param imm the immediate, or a negative number for none
   */
  private void cut(long length, long bytes, int imm) {
    unitLength = length;
    pieceBytes = Math.min(bytes, length);
    long pieces = Sharding.pieces(length, bytes);
    hasImm = imm >= 0;
    if (hasImm) {
      countedPerUnit = Sharding.countedPieces(pieces);
      leadPerUnit = pieces - countedPerUnit;
      wireImm = WireImm.encode(imm, countedPerUnit);
      leading = leadPerUnit > 0;
      endPiece = units * (leading ? leadPerUnit : countedPerUnit);
    } else {
      leadPerUnit = pieces;
      leading = true;
      endPiece = units * pieces;
    }
    nextPiece = 0;
    whole = pieces == 1 && sourcePages == null;
  }

  /** Describes the next piece to post to a NIC. */
  void describe(Operation op, int nic) {
    long from = sourceOffset;
    long to = targetOffset;
    long length = pieceBytes;
    if (!whole) {
      long unit = 0;
      long piece = nextPiece;
      if (units != 1) {
        long perUnit = leading ? leadPerUnit : countedPerUnit;
        unit = perUnit == 1 ? nextPiece : nextPiece / perUnit;
        piece = nextPiece - unit * perUnit;
      }
      long begin = (leading ? piece : leadPerUnit + piece) * pieceBytes;
      from += begin;
      to += begin;
      length = Math.min(length, unitLength - begin);
      if (sourcePages != null && targetPages != null) {
        from += sourcePages.get((int) unit) * sourceStride;
        to += targetPages.get((int) unit) * targetStride;
      }
    }
    op.between(known(source).local(nic), known(target).memory(nic))
        .range(from, to, length)
        .token(token());
    if (leading) {
      op.withoutImm();
    } else {
      op.withImm(wireImm);
    }
  }

  /** What each of its pieces counts as: some are shorter, and a report does not say which. */
  long share() {
    return pieceBytes;
  }

  void advance() {
    nextPiece++;
    outstanding++;
  }

  /** Whether pieces of this phase are still to be posted. */
  boolean hasMore() {
    return nextPiece < endPiece;
  }

  /** Whether pieces are still to be posted, in this phase or in the next one. */
  boolean hasMoreToCome() {
    return !stopped && (hasMore() || (leading && hasImm));
  }

  /** Whether the piece that the cursor points at carries the immediate. */
  boolean pieceHasImm() {
    return !leading;
  }

  /** The immediate that its target waits for, or a negative number if it has none. */
  int imm() {
    return hasImm ? WireImm.imm(wireImm) : -1;
  }

  /** How far it has come, for the text of an error. */
  String progress() {
    return (nextPiece - outstanding) + " of " + endPiece + " pieces were done";
  }

  /** Whether NICs of its peer have failed since it began. */
  boolean isRerouted() {
    return route != peer().route();
  }

  /** So many pieces were reported as written. All pieces of a phase are alike. */
  void piecesWritten(int pieces) {
    if (pieceHasImm()) {
      counted += pieces;
    }
  }

  /** A piece has failed, and may have arrived all the same. */
  void pieceInDoubt() {
    inDoubt |= pieceHasImm();
    plain = false;
  }

  boolean isInDoubt() {
    return inDoubt;
  }

  /** What the target has counted of it. */
  long countedShares() {
    return counted * WireImm.shares(wireImm);
  }

  /** Goes on to the counted pieces, if there were only leading ones so far. */
  boolean enterCountedPhase() {
    if (!leading || !hasImm) {
      return false;
    }
    leading = false;
    nextPiece = 0;
    endPiece = (long) units * countedPerUnit;
    return true;
  }

  /** Nothing more of it will be posted. */
  void stop() {
    truncated |= hasMoreToCome();
    stopped = true;
    plain = false;
    nextPiece = endPiece;
  }

  /** Stops it for this reason; the first one counts. */
  void fail(TransferException reason) {
    if (failure == null) {
      failure = reason;
    }
    stop();
  }

  /** What it has failed with does not say that a NIC may still be busy with it: now it does. */
  void notQuiet(NotClosed notClosed) {
    if (failure != null) {
      failure = notClosed.after(failure);
    }
  }

  /** Whether all of it was posted and nothing failed: then it is done, though it may be stopped. */
  boolean isWhole() {
    return failure == null && !truncated;
  }

  /** Whether nothing has happened to it but that it was posted, and it is all of its transfer. */
  boolean isPlain() {
    return plain;
  }

  boolean isStopped() {
    return stopped;
  }

  @Nullable TransferException failure() {
    return failure;
  }

  /** Nothing of it is out and nothing will be posted: how it ended changes no more. */
  boolean isOver() {
    return over;
  }

  void setOver() {
    over = true;
  }

  long token() {
    return (long) generation << 32 | slot;
  }

  boolean owns(long token) {
    return (int) (token >>> 32) == generation && transfer != null;
  }

  Lane lane() {
    return known(lane);
  }

  Submission<?, ?> submission() {
    return lane().submission();
  }

  Transfer transfer() {
    return known(transfer);
  }

  PeerLink peer() {
    return to().link;
  }

  Outbound to() {
    return lane().to();
  }

  /** Ends this life. */
  void end() {
    generation++;
    transfer = null;
    source = null;
    target = null;
    if (!plain) {
      fan = null;
      failure = null;
      sourcePages = null;
      targetPages = null;
      held = null;
      stopped = false;
      truncated = false;
      inDoubt = false;
    }
  }

  static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a flight was used after its end");
    }
    return value;
  }
}
