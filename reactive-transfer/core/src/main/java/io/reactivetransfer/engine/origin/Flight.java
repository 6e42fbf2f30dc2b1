package io.reactivetransfer.engine.origin;

import io.reactivetransfer.Nic;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.WireImm;
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
   * Its stream, its peer, and between which regions. Kept after its end, which costs nothing as
   * runs are reused, too: the next life is mostly in the same one.
   */
  private @Nullable Run run;

  /** The slots of its neighbours in the lane; see {@link FlightTable}. */
  int before;

  int after;

  /** The place of its transfer in the window of its stream; none when its life has ended. */
  private int place = Window.NONE;

  private int route;
  @Nullable Fan fan;

  private @Nullable PageList sourcePages;
  private @Nullable PageList targetPages;
  private @Nullable RowCut rows;

  /** What {@link #rows} was in the last life that had some: the next one is given it. */
  private @Nullable RowCut lastRows;

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

  /** Whether each of its units is one piece. */
  private boolean unitsAreWhole;

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

  /** Whether it was stopped when a part of it had been posted. */
  private boolean cutShort;

  private boolean over;
  private @Nullable TransferException failure;

  /**
   * When it must be over, by the NIC thread's clock; moved on by time in which that stood still.
   */
  long deadlineNanos;

  /** Whether it waits to be posted, and between which others; see {@link FlightQueue}. */
  boolean queued;

  /** The time of the turn in which that began. */
  long queuedNanos;

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

  /** Whether something of it may still arrive over a way that is lost and not shut yet. */
  private boolean mayStillArrive;

  /** What is posted once more of this phase, if anything. */
  private @Nullable Reposts reposts;

  Flight(int slot) {
    this.slot = slot;
  }

  /** Begins a new life. What the one before has left was cleared at its end. */
  @SuppressWarnings("ReferenceEquality") // the very same run
  void begin(Run run, int place, int route) {
    if (this.run != run) {
      this.run = run;
    }
    this.place = place;
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

  /** Sets where in its regions it goes from and to. */
  void between(long sourceOffset, long targetOffset) {
    this.sourceOffset = sourceOffset;
    this.targetOffset = targetOffset;
  }

  /** Sets how one write of this length is cut. */
  void cutWrite(long length, long pieceBytes, int imm) {
    units = 1;
    cut(length, pieceBytes, imm);
  }

  /** Makes it a write with an immediate that is one piece. */
  void whole(WriteImm write) {
    RemoteSlice to = write.target();
    between(write.source().offset(), to.offset());
    pieceBytes = to.length();
    hasImm = true;
    wireImm = WireImm.encode(write.imm().value(), 1);
    leading = false;
    nextPiece = 0;
    endPiece = 1;
    unitsAreWhole = true;
  }

  /** Sets how pages are cut. */
  void cutPages(PagedWrite write, long pieceBytes, int imm) {
    pages(write);
    cut(write.pageLength(), pieceBytes, imm);
  }

  /** Sets how pages that consist of rows are cut; returns what is not used any more. */
  @Nullable RowCut cutRows(PagedWrite write, RowCut cut, int imm) {
    pages(write);
    return rows(cut, imm);
  }

  /** Sets how one page that consists of rows is cut; returns what is not used any more. */
  @Nullable RowCut cutRows(RowCut cut, int imm) {
    plain = false;
    units = 1;
    return rows(cut, imm);
  }

  private @Nullable RowCut rows(RowCut cut, int imm) {
    RowCut unused = lastRows;
    lastRows = cut;
    rows = cut;
    pieceBytes = cut.pieceBytes();
    cut(cut.pieces(), cut.countedPieces(), imm);
    unitsAreWhole = false;
    return unused;
  }

  private void pages(PagedWrite write) {
    plain = false;
    sourcePages = write.source().pages();
    targetPages = write.target().pages();
    sourceStride = write.source().stride();
    targetStride = write.target().stride();
    units = write.pages();
  }

  private void cut(long length, long bytes, int imm) {
    unitLength = length;
    pieceBytes = Math.min(bytes, length);
    long pieces = Sharding.pieces(length, bytes);
    cut(pieces, Sharding.countedPieces(pieces), imm);
  }

  /**
   * @param pieces of a unit
   * @param counted how many of them carry the immediate, if there is one
   * @param imm the immediate, or a negative number for none
   */
  private void cut(long pieces, int counted, int imm) {
    hasImm = imm >= 0;
    if (hasImm) {
      countedPerUnit = counted;
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
    unitsAreWhole = pieces == 1;
  }

  /** Describes the next piece to post, to which NIC ever, between the regions of its run. */
  void describe(Operation op) {
    long from = sourceOffset;
    long to = targetOffset;
    long length = pieceBytes;
    long number = reposts == null ? nextPiece : reposts.pieceAt(nextPiece);
    long unit = number;
    long piece = 0;
    if (!unitsAreWhole) {
      long perUnit = leading ? leadPerUnit : countedPerUnit;
      unit = units == 1 ? 0 : number / perUnit;
      piece = number - unit * perUnit + (leading ? 0 : leadPerUnit);
      if (rows == null) {
        long begin = piece * pieceBytes;
        from += begin;
        to += begin;
        length = Math.min(length, unitLength - begin);
      }
    }
    if (sourcePages != null && targetPages != null) {
      from += sourcePages.get((int) unit) * sourceStride;
      to += targetPages.get((int) unit) * targetStride;
    }
    if (rows == null) {
      op.range(from, to, length);
    } else {
      rows.describe(op, piece, from, to);
    }
    op.token(token(number));
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
    return !stopped && (hasMore() || (leading && hasImm) || mayStillArrive);
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
    long failed = reposts == null ? 0 : reposts.total();
    long all = reposts == null ? endPiece : reposts.phase();
    return (nextPiece - outstanding - failed) + " of " + all + " pieces were done";
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

  /**
   * A piece has failed, and may have arrived all the same.
   *
   * @param shut whether it has, then; or may arrive later, as long as its way is not shut
   */
  void pieceInDoubt(boolean shut) {
    inDoubt |= pieceHasImm();
    mayStillArrive |= !shut;
    plain = false;
  }

  /** Whether none of its pieces is out, none is to be posted, and none arrives any more. */
  boolean isQuiet() {
    return outstanding == 0 && !hasMore() && !mayStillArrive;
  }

  /** Whether a lost way must be shut before it goes on, or ends. */
  boolean mayStillArrive() {
    return mayStillArrive;
  }

  /**
   * A piece has never arrived, or will not when its way is shut: it is posted once more.
   *
   * @param shut whether the way is shut
   * @return whether that can be; not for ever, whatever NICs report
   */
  boolean postAgain(int piece, boolean shut) {
    Reposts again = reposts;
    if (again == null) {
      if (endPiece > PieceToken.MAX_PIECES) {
        return false;
      }
      again = new Reposts(endPiece);
      reposts = again;
      plain = false;
    }
    if (again.total() == again.phase() * Nic.MAX_PER_ENGINE) {
      return false;
    }
    if (shut) {
      again.add(piece);
      endPiece++;
    } else {
      again.hold(piece);
      mayStillArrive = true;
    }
    return true;
  }

  /** All lost ways are shut. */
  void waysAreShut() {
    mayStillArrive = false;
    if (reposts != null) {
      endPiece += reposts.release();
    }
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
    reposts = null;
    nextPiece = 0;
    endPiece = (long) units * countedPerUnit;
    return true;
  }

  /** Nothing more of it will be posted. */
  void stop() {
    if (hasMoreToCome()) {
      truncated = true;
      cutShort |= nextPiece > 0 || reposts != null || isInSecondPhase();
    }
    stopped = true;
    plain = false;
    reposts = null;
    nextPiece = endPiece;
  }

  /** Whether what comes without the immediate was posted. What is one piece has no such part. */
  private boolean isInSecondPhase() {
    return !unitsAreWhole && leadPerUnit > 0 && !leading;
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

  /** Whether a part of it was posted, and the rest will not be. */
  boolean isCutShort() {
    return cutShort;
  }

  /** Whether nothing has happened to it but that it was posted, and it is all of its transfer. */
  boolean isPlain() {
    return plain;
  }

  /** Bytes of its transfer, if it is plain: without a look at the transfer, which is elsewhere. */
  long plainLength() {
    return unitsAreWhole ? pieceBytes : unitLength;
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

  long token(long piece) {
    return PieceToken.of(generation, piece, slot);
  }

  boolean owns(long token) {
    return PieceToken.isOf(generation, token)
        && place != Window.NONE
        && PieceToken.piece(token) < endPiece;
  }

  Run run() {
    return known(run);
  }

  Lane lane() {
    return run().lane();
  }

  Submission submission() {
    return lane().submission();
  }

  int place() {
    return place;
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
    place = Window.NONE;
    if (!plain) {
      fan = null;
      failure = null;
      sourcePages = null;
      targetPages = null;
      rows = null;
      held = null;
      stopped = false;
      truncated = false;
      cutShort = false;
      inDoubt = false;
      mayStillArrive = false;
      reposts = null;
    }
  }

  static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("a flight was used after its end");
    }
    return value;
  }
}
