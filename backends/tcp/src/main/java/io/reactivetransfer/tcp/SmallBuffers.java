package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for the heads of frames, of which every long write needs one on either side, for short
 * batches of writes, and for reading: places in pieces of memory, used again and again, without the
 * bookkeeping of a pool. For one thread.
 */
final class SmallBuffers {

  /** Room for some short writes. */
  static final int BATCH_BYTES = 1_024;

  /**
   * How much is read at once, where it is not read straight to its place. With more, a whole window
   * comes at once, and then one side always waits for the other; with less, there are too many
   * reads. Measured, see docs/performance.md.
   */
  static final int READ_BYTES = 48 << 10;

  private final Places heads = new Places(64, 1_024);
  private final Places batches = new Places(BATCH_BYTES, 64);
  private final Places reads = new Places(READ_BYTES, 1); // most are done with at once

  /** An empty buffer for so many bytes; of the pool, if it is not small or none is free. */
  ByteBuf take(ByteBufAllocator pool, int bytes) {
    ByteBuf small = heads.take(bytes);
    return small == null ? pool.directBuffer(bytes) : small;
  }

  /** An empty buffer of {@link #BATCH_BYTES}; null if so many are too many, or none is free. */
  @Nullable ByteBuf toBatch(int bytes) {
    return bytes <= BATCH_BYTES ? batches.take(BATCH_BYTES) : null;
  }

  /** An empty buffer to read into, or null while another one is in use. */
  @Nullable ByteBuf toRead() {
    return reads.take(READ_BYTES);
  }

  /** Places of one size. */
  private static final class Places {
    private final int bytes;
    private final int count;
    private final ArrayDeque<Place> free = new ArrayDeque<>();
    private @Nullable ByteBuffer memory;
    private int made;

    Places(int bytes, int count) {
      this.bytes = bytes;
      this.count = count;
    }

    @Nullable ByteBuf take(int wanted) {
      Place place = wanted > bytes ? null : free.poll();
      if (place == null && wanted <= bytes && made < count) {
        place = new Place(this, bytes * made++);
      }
      return place == null ? null : place.view.empty(place.from, wanted);
    }

    private ByteBuffer memory() {
      ByteBuffer all = memory;
      if (all == null) {
        all = ByteBuffer.allocateDirect(bytes * count);
        memory = all;
      }
      return all;
    }
  }

  private static final class Place {
    private final int from;
    private final MemoryView view;

    Place(Places home, int from) {
      this.from = from;
      this.view = new MemoryView(_ -> home.free.push(this), home.memory(), null);
    }
  }
}
