package io.reactivetransfer.staging;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import org.jspecify.annotations.Nullable;

/** A write of the engine that goes in pieces. Used again and again. */
final class StagedWrite {

  private @Nullable Memory source;
  private @Nullable StagedMemory staged;
  private @Nullable RemoteMemory target;
  private long sourceOffset;
  private long targetOffset;
  private long length;
  private long token;
  private boolean hasImm;
  private int imm;
  private boolean endsEmpty;
  private int mostPieceBytes;
  private long begun;
  private boolean hasBegunAll;
  private int out;
  private @Nullable Failure failure;
  private boolean isDoubtful;

  /** Takes it over. */
  void begin(Operation op, Memory from) {
    source = from;
    staged = op.local() instanceof StagedMemory registered ? registered : null;
    target = op.remote();
    sourceOffset = op.localOffset();
    targetOffset = op.remoteOffset();
    length = op.length();
    token = op.token();
    hasImm = op.hasImm();
    imm = op.imm();
    // Of a piece with bytes the target's NIC would tell its length for that of the write.
    endsEmpty = hasImm && length > Pinned.MOST_BYTES && !(target instanceof StagedTarget);
    mostPieceBytes = Pinned.MOST_BYTES;
    begun = 0;
    hasBegunAll = false;
    out = 0;
    failure = null;
    isDoubtful = false;
  }

  Memory source() {
    return Futures.present(source);
  }

  RemoteMemory target() {
    return Futures.present(target);
  }

  long targetOffset() {
    return targetOffset;
  }

  long length() {
    return length;
  }

  boolean hasImm() {
    return hasImm;
  }

  int imm() {
    return imm;
  }

  /** It goes in pieces of no more bytes, as none has so far. */
  void cutInto(int most) {
    mostPieceBytes = most;
  }

  private int nextBytes() {
    return (int) Math.min(mostPieceBytes, length - begun);
  }

  private boolean isNextLast() {
    return endsEmpty ? begun == length : length - begun <= mostPieceBytes;
  }

  /** Whether there is another piece to begin, now or later. */
  boolean hasMore() {
    return failure == null && !hasBegunAll;
  }

  /**
   * Whether the next piece may begin: the last one carries the immediate, so it comes when all
   * others are where they belong. If it goes to the host behind others, it has no bytes.
   */
  boolean mayGoOn() {
    return hasMore() && !(hasImm && isNextLast() && out > 0);
  }

  /** Begins the next piece in this lane. */
  void beginPiece(Lane lane) {
    int bytes = nextBytes();
    boolean isLast = isNextLast();
    lane.begin(this, isLast && endsEmpty ? 0 : begun, bytes, isLast && hasImm);
    begun += bytes;
    hasBegunAll = isLast;
    out++;
    switch (source()) {
      case DeviceMemory device -> lane.fetch(device, sourceOffset + lane.offset());
      case HostMemory host -> lane.copy(host, sourceOffset + lane.offset());
    }
  }

  /** Nobody knows whether a copy from its source goes on, since the accelerator refused to say. */
  void doubtSource(BackendException why) {
    if (staged != null) {
      staged.doubt(why);
    }
  }

  /** A piece of it is where it belongs, or will never be. */
  void pieceEnded() {
    out--;
  }

  /**
   * It has failed, unless all of it is where it belongs already: its NIC may report that in the
   * same poll as the loss of the peer.
   *
   * @param doubt whether something of it may come yet, its immediate included, or has come
   */
  void fail(Failure why, boolean doubt) {
    if (isOver()) {
      return;
    }
    failure = failure == null ? why : failure;
    isDoubtful |= doubt;
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Whether it can be reported: no NIC and no accelerator has anything of it any more. */
  boolean isOver() {
    return out == 0 && !hasMore();
  }

  /** Reports it, and lets go of what it was for. */
  void report(CompletionSink sink) {
    Failure why = failure;
    source = null;
    staged = null;
    target = null;
    if (why == null) {
      sink.written(token);
    } else if (isDoubtful) {
      sink.failed(token, why.code(), why.text());
    } else {
      sink.refused(token, why.code(), why.text());
    }
  }
}
