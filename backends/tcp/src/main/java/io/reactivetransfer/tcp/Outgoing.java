package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * The batch of short frames that is sent next on one connection, before anything longer: so many of
 * them are one buffer, and one call.
 */
final class Outgoing {

  private static final int BATCH_BYTES = 64 << 10;

  private static final int MIN_BATCH_BYTES = 256;

  private final SmallBuffers smallBuffers;
  private @Nullable ByteBuf batch;

  /** As much as the last one had in it: what waits for a slow peer is not mostly empty. */
  private int batchBytes = MIN_BATCH_BYTES;

  Outgoing(SmallBuffers smallBuffers) {
    this.smallBuffers = smallBuffers;
  }

  /** A buffer with room for so many bytes more, which is sent before anything else. */
  ByteBuf batch(ChannelHandlerContext context, int bytes) {
    ByteBuf open = batch;
    if (open != null && open.maxWritableBytes() < bytes) {
      write(context);
      batchBytes = BATCH_BYTES; // there is more than expected
      open = null;
    }
    if (open == null) {
      open = newBatch(context, Math.max(bytes, batchBytes));
      batch = open;
    }
    return open.ensureWritable(bytes);
  }

  private ByteBuf newBatch(ChannelHandlerContext context, int bytes) {
    ByteBuf small = smallBuffers.toBatch(bytes);
    return small == null ? context.alloc().directBuffer(bytes, BATCH_BYTES) : small;
  }

  /** Writes what is in it. */
  void write(ChannelHandlerContext context) {
    ByteBuf full = batch;
    if (full != null) {
      batch = null;
      batchBytes = Math.max(MIN_BATCH_BYTES, full.readableBytes());
      var _ = context.write(full, context.voidPromise());
    }
  }

  void release() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
