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

  private static final String FREED =
      "its memory was freed, or the file that it maps was cut off; close its region first";

  private final SmallBuffers smallBuffers;
  private final SentMarks sentMarks;

  /**
   * What an accelerator was asked for, and is sent next: it brings that while the socket takes what
   * is in front of it.
   */
  private @Nullable Staged ahead;

  private @Nullable TcpMemory source;
  private @Nullable MemoryView payload;

  /** What is sent next, if it is there already. */
  private @Nullable ByteBuf head;

  private @Nullable ByteBuf firstPart;
  private long token;
  private long offset;
  private int length;
  private int left;
  private boolean isCopied;
  private boolean hasCopied;

  /** How much of it was sent or is asked for. */
  private int begun;

  // of what is copied
  private int rowLength;
  private long stride;

  LongWrite(SmallBuffers smallBuffers, SentMarks sentMarks) {
    this.smallBuffers = smallBuffers;
    this.sentMarks = sentMarks;
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
    rowLength = (int) op.rowLength();
    stride = op.localStride();
    isCopied = from.isCopied() || op.rows() > 1;
    begun = 0;
    firstPart =
        isCopied && !from.isCopied() ? copy(buffers, Math.min(left, Wire.FIRST_PART_BYTES)) : null;
    MemoryView all = isCopied ? sentMarks.take() : from.source(offset, left);
    payload = all;
    head = Wire.putWrite(smallBuffers.take(buffers, Wire.headBytes(op)), target.key(), op);
    return all;
  }

  /** How much of it was not sent. */
  int bytes() {
    return left;
  }

  /** Whether what was given last had to be copied for that, while everything else waited. */
  boolean hasCopied() {
    return hasCopied;
  }

  /** Whether nothing was sent of it. */
  boolean isUnsent() {
    return head != null;
  }

  /** Asks an accelerator for what is sent next, if that was not done, and there is a buffer. */
  void askAhead() {
    Staged part = ahead == null && begun < length ? Objects.requireNonNull(source).stage() : null;
    if (part == null) {
      return;
    }
    int bytes = Math.min(length - begun, begun == 0 ? Wire.FIRST_PART_BYTES : Staging.BYTES);
    int row = begun / rowLength;
    int at = begun - row * rowLength;
    while (part.used() < bytes) {
      int now = Math.min(rowLength - at, bytes - part.used());
      part.fetch(offset + row * stride + at, now);
      row++;
      at = 0;
    }
    ahead = part;
    begun += bytes;
  }

  /** Waits for what was asked for; false if nothing was. */
  private boolean isThere() {
    BackendException failure = ahead == null ? null : ahead.await();
    if (failure != null) {
      throw failure;
    }
    return ahead != null;
  }

  private ByteBuf takeAhead() {
    Staged part = Objects.requireNonNull(ahead);
    ahead = null;
    return part.send();
  }

  /**
   * Gives the socket the next part; how long that is.
   *
   * @param most how long it may be, unless it is the first one
   * @throws BackendException if it cannot be copied; then {@link #giveUp} is next
   */
  int give(ChannelHandlerContext context, int most) {
    ByteBufAllocator buffers = context.alloc();
    askAhead();
    boolean isStaged = isThere();
    int bytes =
        isStaged
            ? Objects.requireNonNull(ahead).used()
            : Math.min(left, head == null && !isCopied ? most : Wire.FIRST_PART_BYTES);
    hasCopied = isCopied && firstPart == null;
    ByteBuf copied = firstPart == null && isCopied && !isStaged ? copy(buffers, bytes) : firstPart;
    firstPart = copied; // released with the rest, if the next line throws
    ByteBuf before =
        head == null ? Wire.putMore(smallBuffers.take(buffers, Wire.MORE_BYTES), bytes) : head;
    firstPart = null;
    boolean isLast = bytes == left;
    MemoryView all = Objects.requireNonNull(payload);
    ByteBuf part;
    if (isCopied) {
      part = copied == null ? takeAhead() : copied;
      begun = Math.max(begun, length - left + bytes);
      if (isLast) {
        all.release();
      }
    } else {
      part = isLast ? all : all.readRetainedSlice(bytes);
    }
    head = null;
    payload = isLast ? null : all;
    left -= bytes;
    askAhead();
    var _ = context.write(before, context.voidPromise());
    var _ = context.write(part, context.voidPromise());
    return bytes;
  }

  /** Forgets it, of which nothing was sent; its token. */
  long withdraw() {
    release();
    head = null;
    firstPart = null;
    payload = null;
    return token;
  }

  /** Has the target drop it, and refuse it; its token. */
  long giveUp(ChannelHandlerContext context) {
    dropAhead();
    ByteBuf none = Wire.putMore(smallBuffers.take(context.alloc(), Wire.MORE_BYTES), 0);
    var _ = context.write(none, context.voidPromise());
    Objects.requireNonNull(payload).release();
    payload = null;
    return token;
  }

  /** Copies what was not sent yet, row after row. */
  private ByteBuf copy(ByteBufAllocator buffers, int bytes) {
    TcpMemory from = Objects.requireNonNull(source);
    ByteBuf part = buffers.directBuffer(bytes);
    int done = length - left;
    int row = done / rowLength;
    int at = done - row * rowLength;
    try {
      while (part.readableBytes() < bytes) {
        int now = Math.min(rowLength - at, bytes - part.readableBytes());
        from.copyTo(part, offset + row * stride + at, now);
        row++;
        at = 0;
      }
      return part;
    } catch (BackendException e) {
      part.release();
      throw e;
    } catch (IllegalStateException | InternalError e) {
      part.release();
      throw new BackendException(0, FREED, e);
    }
  }

  private void dropAhead() {
    Staged part = ahead;
    ahead = null;
    if (part != null) {
      part.drop();
    }
  }

  /** Nothing more is sent of it, and nothing is read. */
  void release() {
    dropAhead();
    for (@Nullable ByteBuf each : new @Nullable ByteBuf[] {head, firstPart, payload}) {
      if (each != null) {
        each.release();
      }
    }
  }
}
