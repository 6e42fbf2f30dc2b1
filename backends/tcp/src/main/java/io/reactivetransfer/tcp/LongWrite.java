package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Operation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A write whose bytes are not in a batch. They are sent in parts, so that what there is to say of
 * the other side's writes need not wait for the last of them, and so that they are not copied all
 * at once where they have to be. Used again and again.
 */
final class LongWrite {

  /**
   * Rows that are not shorter are given to the socket where they lie; it costs less to copy others.
   */
  private static final int MIN_GATHERED_BYTES = 2 << 10;

  private static final String FREED =
      "its memory was freed, or the file that it maps was cut off; close its region first";

  private final SmallBuffers smallBuffers;
  private final SentMarks sentMarks;
  private final CopyTurn turn;

  /**
   * What an accelerator was asked for, and is sent next: it brings that while the socket takes what
   * is in front of it.
   */
  private @Nullable Staged ahead;

  /** What is sent behind that. */
  private @Nullable Staged behind;

  private @Nullable TcpMemory source;
  private @Nullable MemoryView payload;

  /** What is sent next, if it is there already. */
  private @Nullable ByteBuf head;

  /** What is copied of the next part, by one call or several. */
  private @Nullable ByteBuf copied;

  private int copiedBytes;
  private long token;
  private long offset;
  private int length;
  private int left;
  private boolean isCopied;

  /** Whether the socket is given row after row. */
  private boolean isGathered;

  private boolean wasCopied;
  private boolean wasStaged;

  /** How much of it was sent, is being copied, or belongs to parts that are asked for. */
  private int begun;

  /** How much of it was asked for, so far. */
  private int asked;

  // of what is copied or gathered
  private int rowLength;
  private long stride;

  /** How many of its rows are listed; none if each follows the one before. */
  private int listed;

  /** Where those begin in the source. */
  private long[] rows = {};

  LongWrite(SmallBuffers smallBuffers, SentMarks sentMarks, CopyTurn turn) {
    this.smallBuffers = smallBuffers;
    this.sentMarks = sentMarks;
    this.turn = turn;
  }

  /**
   * Begins with this one. What has to be copied of its first part is copied now, as long as it can
   * still be refused; or an accelerator is asked for it, which may still refuse when it is sent.
   *
   * @return what is released when all of it was sent
   * @throws BackendException if it cannot be copied; then it has not begun
   */
  MemoryView begin(TcpMemory from, TcpRemoteMemory target, Operation op, ByteBufAllocator buffers) {
    source = from;
    token = op.token();
    offset = op.localOffset();
    length = (int) op.length();
    left = length;
    stride = op.localStride();
    rowLength =
        stride == op.rowLength() && !op.isGathered()
            ? length // without gaps, one row
            : (int) op.rowLength();
    list(op);
    isGathered = listed > 0 && rowLength >= MIN_GATHERED_BYTES && !from.isCopied();
    isCopied = from.isCopied() || (op.rows() > 1 && !isGathered);
    begun = 0;
    if (isCopied && !from.isCopied()) {
      beginToCopy(buffers);
      boolean _ = copyOn();
    }
    MemoryView all =
        isCopied
            ? sentMarks.take()
            : isGathered
                ? from.source(rowOffset(listed - 1), rowLength) // released with the last of it
                : from.source(offset, left);
    payload = all;
    head = Wire.putWrite(smallBuffers.take(buffers, Wire.headBytes(op)), target.key(), op);
    return all;
  }

  private void list(Operation op) {
    listed = op.isGathered() ? op.rows() : 0;
    if (rows.length < listed) {
      rows = new long[Math.max(listed, 2 * rows.length)];
    }
    for (int row = 0; row < listed; row++) {
      rows[row] = op.localOffset(row);
    }
  }

  private long rowOffset(int row) {
    return listed > 0 ? rows[row] : offset + row * stride;
  }

  /** How much of it was not sent. */
  int bytes() {
    return left;
  }

  /** Whether what was given last had to be copied for that, while everything else waited. */
  boolean wasCopied() {
    return wasCopied;
  }

  /** Whether an accelerator has brought what was given last. */
  boolean wasStaged() {
    return wasStaged;
  }

  /** Whether nothing was sent of it. */
  boolean isUnsent() {
    return head != null;
  }

  /**
   * Asks an accelerator for what is sent next, and for what is sent behind that, as far as there
   * are buffers for it, and others need not have their turn before.
   */
  void askAhead() {
    while (!turn.isOver()) {
      Staged last = behind == null ? ahead : behind;
      Staged part = last == null || last.missing() == 0 ? nextAhead() : last;
      if (part == null) {
        return;
      }
      int row = asked / rowLength;
      int at = asked - row * rowLength;
      int now = Math.min(rowLength - at, part.missing());
      part.fetch(rowOffset(row) + at, now);
      turn.began();
      asked += now;
    }
  }

  /** Begins with a part that nobody has begun; null if there is none, or no buffer for it. */
  private @Nullable Staged nextAhead() {
    TcpMemory from = Objects.requireNonNull(source);
    Staged part =
        begun == length || behind != null
            ? null
            : ahead == null ? from.stage() : from.stageIfPlenty();
    if (part == null) {
      return null;
    }
    if (ahead == null) {
      ahead = part;
    } else {
      behind = part;
    }
    part.expect(Math.min(length - begun, partBytes()));
    asked = begun;
    begun += part.missing();
    return part;
  }

  /** The first part and the second one fill one buffer of the other side together. */
  private int partBytes() {
    return switch (begun) {
      case 0 -> Wire.FIRST_PART_BYTES;
      case Wire.FIRST_PART_BYTES -> Staging.BYTES - Wire.FIRST_PART_BYTES;
      default -> Staging.BYTES;
    };
  }

  /**
   * Whether the next part is there; waits for what was asked for, or copies it, as far as others
   * need not have their turn before.
   */
  private boolean prepare(ByteBufAllocator buffers) {
    if (copied == null) {
      askAhead();
      Staged part = ahead;
      if (part != null) {
        return part.missing() == 0 && isThere(part);
      }
      if (turn.isOver()) {
        return false;
      }
      beginToCopy(buffers);
    }
    return copyOn();
  }

  private static boolean isThere(Staged part) {
    BackendException failure = part.await();
    if (failure != null) {
      throw failure;
    }
    return true;
  }

  /**
   * Gives the socket the next part; how long that is. 0 if it is not there, and others are to have
   * their turn before more of it is copied.
   *
   * @param most how long it may be, unless it is the first one
   * @throws BackendException if it cannot be copied; then {@link #giveUp} is next
   */
  int give(ChannelHandlerContext context, int most) {
    ByteBufAllocator buffers = context.alloc();
    wasCopied = false;
    if (isCopied && !prepare(buffers)) {
      return 0;
    }
    Staged staged = isCopied && copied == null ? Objects.requireNonNull(ahead) : null;
    wasStaged = staged != null;
    int bytes =
        staged != null
            ? staged.used()
            : isCopied ? copiedBytes : Math.min(left, head == null ? most : Wire.FIRST_PART_BYTES);
    ByteBuf before =
        head == null ? Wire.putMore(smallBuffers.take(buffers, Wire.MORE_BYTES), bytes) : head;
    boolean isLast = bytes == left;
    MemoryView all = Objects.requireNonNull(payload);
    int first = length - left;
    head = null;
    payload = isLast ? null : all;
    left -= bytes;
    if (isGathered) {
      var _ = context.write(before, context.voidPromise());
      giveRows(context, all, first, first + bytes);
      return bytes;
    }
    ByteBuf part;
    if (isCopied) {
      part = staged == null ? takeCopied() : takeAhead(staged);
      if (isLast) {
        all.release();
      }
    } else {
      part = isLast ? all : takePart(all, first, bytes);
    }
    askAhead();
    var _ = context.write(before, context.voidPromise());
    var _ = context.write(part, context.voidPromise());
    return bytes;
  }

  /** Gives the bytes from here to there of all rows together, as many at a time as lie together. */
  private void giveRows(ChannelHandlerContext context, MemoryView last, int from, int to) {
    TcpMemory memory = Objects.requireNonNull(source);
    for (int at = from; at < to; ) {
      int row = at / rowLength;
      long begin = rowOffset(row) + at % rowLength;
      int end = (row + 1) * rowLength;
      while (end < to
          && end < length - rowLength
          && rowOffset(end / rowLength) == begin + end - at) {
        end += rowLength;
      }
      end = Math.min(end, to);
      ByteBuf part =
          end == length
              ? last.skipBytes(last.readableBytes() - (end - at))
              : memory.part(begin, end - at);
      var _ = context.write(part, context.voidPromise());
      at = end;
    }
  }

  /** Of memory that is not copied; a slice would be an object for each part. */
  private ByteBuf takePart(MemoryView all, int first, int bytes) {
    all.skipBytes(bytes);
    return Objects.requireNonNull(source).part(offset + first, bytes);
  }

  private ByteBuf takeAhead(Staged part) {
    ahead = behind;
    behind = null;
    return part.send();
  }

  private ByteBuf takeCopied() {
    ByteBuf part = Objects.requireNonNull(copied);
    copied = null;
    return part;
  }

  /** Forgets it, of which nothing was sent; its token. */
  long withdraw() {
    release();
    head = null;
    copied = null;
    payload = null;
    return token;
  }

  /** Has the target drop it, and refuse it; its token. */
  long giveUp(ChannelHandlerContext context) {
    dropAhead();
    if (copied != null) {
      takeCopied().release();
    }
    ByteBuf none = Wire.putMore(smallBuffers.take(context.alloc(), Wire.MORE_BYTES), 0);
    var _ = context.write(none, context.voidPromise());
    Objects.requireNonNull(payload).release();
    payload = null;
    return token;
  }

  /** The part behind all that was begun is copied. */
  private void beginToCopy(ByteBufAllocator buffers) {
    copiedBytes = Math.min(length - begun, Wire.FIRST_PART_BYTES);
    copied = buffers.directBuffer(copiedBytes);
    begun += copiedBytes;
  }

  /** Copies row after row of what is next; whether that is there. */
  private boolean copyOn() {
    TcpMemory from = Objects.requireNonNull(source);
    ByteBuf part = Objects.requireNonNull(copied);
    int done = length - left + part.readableBytes();
    int row = done / rowLength;
    int at = done - row * rowLength;
    try {
      while (part.readableBytes() < copiedBytes && !(from.isCopied() && turn.isOver())) {
        int now = Math.min(rowLength - at, copiedBytes - part.readableBytes());
        from.copyTo(part, rowOffset(row) + at, now);
        row++;
        at = 0;
        wasCopied = true;
        if (from.isCopied()) {
          turn.waited();
        }
      }
      return part.readableBytes() == copiedBytes;
    } catch (BackendException e) {
      takeCopied().release();
      throw e;
    } catch (IllegalStateException | InternalError e) {
      takeCopied().release();
      throw new BackendException(0, FREED, e);
    }
  }

  private void dropAhead() {
    Staged next = ahead;
    Staged last = behind;
    ahead = null;
    behind = null;
    if (next != null) {
      next.drop();
    }
    if (last != null) {
      last.drop();
    }
  }

  /** Nothing more is sent of it, and nothing is read. */
  void release() {
    dropAhead();
    for (@Nullable ByteBuf each : new @Nullable ByteBuf[] {head, copied, payload}) {
      if (each != null) {
        each.release();
      }
    }
  }
}
