package io.reactivetransfer.loopback;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Operation;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A write that was taken over. Made once and filled again and again; the origin owns it, and lends
 * it to the target from {@link #fill} until it is back in the origin's completions.
 *
 * <p>The state decides between the two sides. The target claims the write for each turn in which it
 * touches memory; the origin abandons it when it closes or has lost the target. So a write is ended
 * by exactly one side, and no source is read after its origin has closed.
 */
final class InFlightWrite {

  private static final int IDLE = 0;
  private static final int WAITING = 1;
  private static final int CLAIMED = 2;
  private static final int ENDED = 3;
  private static final int ABANDONED = 4;

  private final Port origin;
  private final AtomicInteger state = new AtomicInteger(IDLE);
  private @Nullable Link link;
  private @Nullable LoopbackMemory source;
  private LoopbackKey key = LoopbackKey.NONE;
  private long sourceOffset;
  private long targetOffset;
  private long length;
  private int rows = 1;
  private long sourceStride;
  private long targetStride;

  /** Where rows that are gathered begin within the source. */
  private long[] gathered = {};

  private boolean isGathered;
  private long targetExtent;
  private long copied;
  private long token;
  private int imm;
  private boolean hasImm;
  private @Nullable WriteError error;
  private String errorText = "";

  InFlightWrite(Port origin) {
    this.origin = origin;
  }

  /** Origin: begins a new life. The source's range was checked. */
  void fill(Operation op, LoopbackMemory from, LoopbackTarget to, Link over) {
    link = over;
    source = from;
    key = to.key();
    sourceOffset = op.localOffset();
    targetOffset = op.remoteOffset();
    length = op.length();
    targetExtent = length;
    rows = op.rows();
    isGathered = op.isGathered();
    if (isGathered) {
      gather(op);
    }
    if (rows > 1) {
      sourceStride = op.localStride();
      targetStride = op.remoteStride();
      targetExtent = op.remoteExtent();
    }
    copied = 0;
    token = op.token();
    imm = op.imm();
    hasImm = op.hasImm();
    error = null;
    errorText = "";
    state.set(WAITING);
  }

  private void gather(Operation op) {
    if (gathered.length < rows) {
      gathered = new long[Math.max(rows, 2 * gathered.length)];
    }
    for (int row = 0; row < rows; row++) {
      gathered[row] = op.localOffset(row);
    }
  }

  /** Origin: ends the life. */
  void clear() {
    link = null;
    source = null;
    state.set(IDLE);
  }

  /** Origin: whether it went over this link and is not done. */
  boolean isOver(Link that) {
    return link == that;
  }

  /**
   * Origin: takes it back from a target that will not, or shall not, end it. Waits for the copy of
   * one turn if the target is just in it.
   *
   * @return whether it was taken back; otherwise it has ended, or was not out
   */
  boolean abandon() {
    while (!state.compareAndSet(WAITING, ABANDONED)) {
      if (state.get() != CLAIMED) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /**
   * Target: begins a turn in which memory may be touched.
   *
   * @return whether it may; otherwise the origin has abandoned the write
   */
  boolean claim() {
    return state.compareAndSet(WAITING, CLAIMED);
  }

  /** Target: ends a turn, with more to come. */
  void release() {
    state.set(WAITING);
  }

  /** Ends it well; the memory is not touched any more. */
  void succeed() {
    state.set(ENDED);
  }

  /** Ends it badly; the memory is not touched any more. */
  void fail(WriteError reason, String text) {
    error = reason;
    errorText = text;
    state.set(ENDED);
  }

  /** Target: copies at most this much of what is left; what that has cost, in bytes. */
  long copyInto(LoopbackMemory target, long maxBytes) {
    LoopbackMemory from = Objects.requireNonNull(source);
    if (rows > 1) {
      return copyRows(from, target, maxBytes);
    }
    long bytes = Math.min(maxBytes, length - copied);
    target.copyFrom(from, sourceOffset + copied, targetOffset + copied, bytes);
    copied += bytes;
    return target.cost(from, bytes);
  }

  /** Target: a copy has failed, which of the two accelerators it was. */
  void doubtUnlessOver(LoopbackMemory target, BackendException why) {
    if (!why.isOver()) {
      target.doubt(why);
      Objects.requireNonNull(source).doubt(why);
    }
  }

  /** Copies row after row, or what is left of one, until that has cost so much. */
  private long copyRows(LoopbackMemory from, LoopbackMemory target, long most) {
    long cost = 0;
    long rowLength = length / rows;
    int row = (int) (copied / rowLength);
    long at = copied - row * rowLength;
    while (copied < length && cost < most) {
      long bytes = Math.min(rowLength - at, most - cost);
      long begin = isGathered ? gathered[row] : sourceOffset + row * sourceStride;
      target.copyFrom(from, begin + at, targetOffset + row * targetStride + at, bytes);
      copied += bytes;
      cost += target.cost(from, bytes);
      row++;
      at = 0;
    }
    return cost;
  }

  boolean isCopied() {
    return copied == length;
  }

  /** Bytes of all its rows together. */
  long length() {
    return length;
  }

  Port origin() {
    return origin;
  }

  LoopbackKey key() {
    return key;
  }

  long targetOffset() {
    return targetOffset;
  }

  /** How much of the target's memory it takes, with the gaps between its rows. */
  long targetExtent() {
    return targetExtent;
  }

  long token() {
    return token;
  }

  boolean hasImm() {
    return hasImm;
  }

  int imm() {
    return imm;
  }

  @Nullable WriteError error() {
    return error;
  }

  String errorText() {
    return errorText;
  }
}
