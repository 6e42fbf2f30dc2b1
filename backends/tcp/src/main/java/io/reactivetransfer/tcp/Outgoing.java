package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What was written on one connection, and was not given to its socket, in order: batches of short
 * frames, so that many of them are one buffer and one call, and longer writes. The socket is given
 * little at a time while the other side writes, too, so that what there is to say of that goes
 * before the rest.
 */
final class Outgoing {

  static final int BATCH_BYTES = 64 << 10;

  /** About so much is given at once, with one call. */
  private static final int MAX_CHUNK_BYTES = 1 << 20;

  /** While the other side writes no more at once; else it is a quarter of what it does. */
  private static final int MIN_CHUNK_BYTES = Wire.FIRST_PART_BYTES;

  private static final int SHARE = 4;

  /**
   * So much of a long write goes before each chunk of it, with a call of its own: the other side
   * wakes up and reads it while the next call copies the rest.
   */
  private static final int LEAD_BYTES = Wire.FIRST_PART_BYTES;

  /** What is not many times as long is given without. */
  private static final int LED_BYTES = 4 * LEAD_BYTES;

  /**
   * How much is given in short chunks after the last write that asked for them: for as long as the
   * next one of its kind may be on its way, which is longer behind a long one.
   */
  private static final int MAX_HURRIED_BYTES = 4 << 20;

  private static final int MIN_HURRIED_BYTES = 1 << 20;

  /** What is not longer is short: many of them in a row are answers that somebody waits for. */
  private static final int SHORT_BYTES = Wire.FIRST_PART_BYTES;

  /**
   * A short one behind which so much was given before the next came is one by itself, such as what
   * is said at the beginning of an exchange of long ones: those would go in parts for nothing.
   */
  private static final int SELDOM_BYTES = 3 << 20;

  private static final int MIN_BATCH_BYTES = 256;

  /** What an accelerator has brought costs the loop so much less than what it copies itself. */
  private static final int STAGED_SHARE = 4;

  /** More is refused. High, because what is in it is the callers' memory and no copy. */
  private static final long MAX_BYTES = 4 << 20;

  /** With less, who was refused is to come again. */
  private static final long ROOM_BYTES = 1 << 20;

  private final SmallBuffers smallBuffers;
  private final ArrayDeque<Object> waiting = new ArrayDeque<>(); // batches and long writes
  private final ArrayDeque<LongWrite> free = new ArrayDeque<>();
  private final SentMarks sentMarks = new SentMarks();
  private final CopyTurn turn;
  private long waitingBytes;
  private int chunkBytes = MAX_CHUNK_BYTES;
  private int hurriedBytes;

  /** How much was given since a short write came in, up to what makes the next one seldom. */
  private int sinceShort = SELDOM_BYTES;

  /** Whether what was given last leads the next chunk. */
  private boolean hasLed;

  private @Nullable ByteBuf batch;

  /** As much as the last one had in it: what waits for a slow peer is not mostly empty. */
  private int batchBytes = MIN_BATCH_BYTES;

  Outgoing(SmallBuffers smallBuffers, CopyTurn turn) {
    this.smallBuffers = smallBuffers;
    this.turn = turn;
  }

  /** How many bytes wait. */
  long bytes() {
    return batch == null ? waitingBytes : waitingBytes + batch.readableBytes();
  }

  boolean isEmpty() {
    return waiting.isEmpty() && batch == null;
  }

  boolean isFull() {
    return bytes() >= MAX_BYTES;
  }

  /** Whether it is far from full. */
  boolean hasRoom() {
    return bytes() < ROOM_BYTES;
  }

  /** A buffer with room for so many bytes more, behind all that waits. */
  ByteBuf batch(ChannelHandlerContext context, int bytes) {
    ByteBuf open = batch;
    if (open != null && open.maxWritableBytes() < bytes) {
      endBatch(open);
      batchBytes = BATCH_BYTES; // there is more than expected
      open = null;
    }
    if (open == null) {
      open = newBatch(context, Math.max(bytes, batchBytes));
      batch = open;
    }
    return open.ensureWritable(bytes);
  }

  /**
   * The batch, if it is all that waits, is short, and has room for so many bytes; else null. What
   * is put behind it goes with the same call.
   */
  @Nullable ByteBuf shortBatch(int bytes) {
    ByteBuf open = batch;
    return open != null
            && waiting.isEmpty()
            && open.readableBytes() <= SmallBuffers.BATCH_BYTES
            && open.writableBytes() >= bytes
        ? open
        : null;
  }

  private ByteBuf newBatch(ChannelHandlerContext context, int bytes) {
    ByteBuf small = smallBuffers.toBatch(bytes);
    return small == null ? context.alloc().directBuffer(bytes, BATCH_BYTES) : small;
  }

  private void endBatch(ByteBuf full) {
    batch = null;
    batchBytes = Math.max(MIN_BATCH_BYTES, full.readableBytes());
    waitingBytes += full.readableBytes();
    waiting.add(full);
  }

  /**
   * There will be something to say of a write of so many bytes. That should not take much longer
   * than the write did; many short chunks cost more than few long ones, so a short write that comes
   * by itself changes nothing.
   */
  void hurry(long length) {
    if (length <= SHORT_BYTES) {
      boolean isSeldom = sinceShort == SELDOM_BYTES;
      sinceShort = 0;
      if (isSeldom) {
        return;
      }
    }
    int chunk = Math.clamp(length / SHARE, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    int bytes = Math.clamp(SHARE * length, MIN_HURRIED_BYTES, MAX_HURRIED_BYTES);
    if (chunk == chunkBytes) {
      hurriedBytes = Math.max(hurriedBytes, bytes);
    } else if (chunk < chunkBytes || hurriedBytes == 0) {
      chunkBytes = chunk;
      hurriedBytes = bytes;
    }
  }

  /** One that is not in use; to be {@linkplain #add added}. */
  LongWrite newWrite() {
    LongWrite write = free.poll();
    return write == null ? new LongWrite(smallBuffers, sentMarks, turn) : write;
  }

  /** Behind all that waits. */
  void add(LongWrite write) {
    if (batch != null) {
      endBatch(batch);
    }
    waitingBytes += write.bytes();
    waiting.add(write);
    if (waiting.size() == 1) {
      askAhead();
    }
  }

  /** An accelerator brings what is next while the socket takes what is in front of it. */
  private void askAhead() {
    if (waiting.peek() instanceof LongWrite write) {
      write.askAhead();
    }
  }

  /**
   * Gives the socket what is next. Nothing if that is not there, and others are to have their turn
   * before more is copied.
   *
   * @return how many bytes of it the loop had to copy for that, or as many as cost it as much
   * @throws io.reactivetransfer.spi.BackendException if what has to be copied cannot be; then
   *     {@link #giveUp} is next
   */
  int give(ChannelHandlerContext context) {
    int most = nextBytes();
    int given = 0;
    int cost = 0;
    while (given < most && cost == 0 && !isEmpty()) {
      if (waiting.isEmpty() && batch != null) {
        endBatch(batch);
      }
      int bytes;
      if (waiting.peek() instanceof LongWrite write) {
        bytes = write.give(context, most - given);
        if (bytes == 0) {
          break;
        }
        cost = write.wasCopied() ? bytes : write.wasStaged() ? 1 + bytes / STAGED_SHARE : 0;
        if (write.bytes() == 0) {
          free.push(write);
          waiting.remove();
          askAhead();
        }
      } else {
        ByteBuf frames = (ByteBuf) waiting.remove();
        bytes = frames.readableBytes();
        var _ = context.write(frames, context.voidPromise());
      }
      waitingBytes -= bytes;
      given += bytes;
    }
    hurriedBytes = Math.max(0, hurriedBytes - given);
    sinceShort = Math.min(SELDOM_BYTES, sinceShort + given);
    return cost;
  }

  /** How much is given next. */
  private int nextBytes() {
    int chunk = hurriedBytes > 0 ? chunkBytes : MAX_CHUNK_BYTES;
    hasLed =
        !hasLed
            && chunk >= LED_BYTES
            && waiting.peek() instanceof LongWrite write
            && write.bytes() >= LED_BYTES;
    return hasLed ? LEAD_BYTES : chunk;
  }

  /** Whether nothing was sent of the write that is next. */
  boolean isNextUnsent() {
    return waiting.peek() instanceof LongWrite write && write.isUnsent();
  }

  /** Forgets the write that is next, of which nothing was sent; its token. */
  long withdraw() {
    LongWrite write = (LongWrite) waiting.remove();
    waitingBytes -= write.bytes();
    free.push(write);
    return write.withdraw();
  }

  /** Gives the write up that is being sent; its token. */
  long giveUp(ChannelHandlerContext context) {
    LongWrite write = (LongWrite) waiting.remove();
    waitingBytes -= write.bytes();
    free.push(write);
    return write.giveUp(context);
  }

  /** Nothing more is given. */
  void release() {
    if (batch != null) {
      endBatch(batch);
    }
    for (Object each; (each = waiting.poll()) != null; ) {
      if (each instanceof LongWrite write) {
        write.release();
      } else {
        ((ByteBuf) each).release();
      }
    }
  }
}
