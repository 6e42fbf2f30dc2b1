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

  // of what is copied
  private int rowLength;
  private long stride;

  LongWrite(SmallBuffers smallBuffers) {
    this.smallBuffers = smallBuffers;
  }

  /**
   * Begins with this one. What has to be copied of its first part is copied now, as long as it can
   * still be refused.
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
    firstPart = isCopied ? copy(buffers, Math.min(left, Wire.FIRST_PART_BYTES)) : null;
    MemoryView all = isCopied ? MemoryView.ofNothing() : from.source(offset, left);
    payload = all;
    head = Wire.putWrite(smallBuffers.take(buffers, Wire.headBytes(op)), target.key(), op);
    return all;
  }

  /** How much of it was not sent. */
  int bytes() {
    return left;
  }

  /** Whether what comes next of it has to be copied for that. */
  boolean isToBeCopied() {
    return firstPart == null && isCopied;
  }

  /**
   * Gives the socket the next part; how long that is.
   *
   * @param most how long it may be, unless it is the first one
   * @throws BackendException if it cannot be copied; then {@link #giveUp} is next
   */
  int give(ChannelHandlerContext context, int most) {
    ByteBufAllocator buffers = context.alloc();
    int bytes = Math.min(left, head == null ? most : Wire.FIRST_PART_BYTES);
    boolean isLast = bytes == left;
    MemoryView all = Objects.requireNonNull(payload);
    ByteBuf part;
    if (isCopied) {
      part = firstPart == null ? copy(buffers, bytes) : firstPart;
      firstPart = null;
      if (isLast) {
        all.release();
      }
    } else {
      part = isLast ? all : all.readRetainedSlice(bytes);
    }
    ByteBuf before =
        head == null ? Wire.putMore(smallBuffers.take(buffers, Wire.MORE_BYTES), bytes) : head;
    head = null;
    payload = isLast ? null : all;
    left -= bytes;
    var _ = context.write(before, context.voidPromise());
    var _ = context.write(part, context.voidPromise());
    return bytes;
  }

  /** Has the target drop it, and refuse it; its token. */
  long giveUp(ChannelHandlerContext context) {
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

  /** Nothing more is sent of it. */
  void release() {
    for (@Nullable ByteBuf each : new @Nullable ByteBuf[] {head, firstPart, payload}) {
      if (each != null) {
        each.release();
      }
    }
  }
}
