package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for the heads of frames, of which every long write needs one on either side: places in
 * one piece of memory, used again and again, without the bookkeeping of a pool. For one thread.
 */
final class SmallBuffers {

  private static final int PLACE_BYTES = 64;
  private static final int PLACES = 1_024;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(PLACE_BYTES * PLACES);
  private final ArrayDeque<Place> free = new ArrayDeque<>();
  private int made;

  private final class Place {
    private final int from;
    private final MemoryView view;

    Place(int from) {
      this.from = from;
      this.view = new MemoryView(_ -> free.push(this), memory, null);
    }
  }

  /** An empty buffer for so many bytes; of the pool, if it is not small or none is free. */
  ByteBuf take(ByteBufAllocator pool, int bytes) {
    Place place = bytes <= PLACE_BYTES ? place() : null;
    return place == null ? pool.directBuffer(bytes) : place.view.empty(place.from, bytes);
  }

  private @Nullable Place place() {
    Place place = free.poll();
    return place == null && made < PLACES ? new Place(PLACE_BYTES * made++) : place;
  }
}
