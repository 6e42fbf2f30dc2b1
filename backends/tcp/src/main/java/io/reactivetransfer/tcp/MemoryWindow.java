package io.reactivetransfer.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * As much of registered memory as one {@link ByteBuffer} shows, and views of it that are free for
 * use. One begins at each GiB, and all but the last overlap with the next: so a piece of up to a
 * GiB lies within one of them, wherever it begins.
 */
final class MemoryWindow {

  /** One begins at each multiple of two to this. */
  static final int SHIFT = 30;

  /** The longest that a {@link ByteBuffer} can show. */
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  /** As many as some sockets are given at once of rows that are gathered. */
  private static final int MAX_FREE_VIEWS = 2_048;

  private final ByteBuffer bytes;
  private final MemorySegment.Scope scope;
  private final ArrayDeque<MemoryView> free = new ArrayDeque<>();
  private final Consumer<MemoryView> home = this::recycle;

  /** The window with this index. */
  MemoryWindow(MemorySegment memory, int index) {
    long from = (long) index << SHIFT;
    scope = memory.scope();
    bytes = memory.asSlice(from, Math.min(memory.byteSize() - from, MAX_BYTES)).asByteBuffer();
  }

  /** How many windows memory of this size has. */
  static int count(long byteSize) {
    return (int) (byteSize >>> SHIFT) + 1; // the last may be empty: for a write of no bytes
  }

  /** Where in its window this byte of the memory lies. */
  static int within(long offset) {
    return (int) (offset & (1L << SHIFT) - 1);
  }

  /** To be used at once: the next call gives the same buffer with another range. */
  ByteBuffer range(int from, int length) {
    return bytes.limit(from + length).position(from);
  }

  /** A view that nobody holds. */
  MemoryView view() {
    MemoryView view = free.poll();
    return view == null ? new MemoryView(home, bytes, scope) : view;
  }

  private void recycle(MemoryView view) {
    if (free.size() < MAX_FREE_VIEWS) {
      free.push(view);
    }
  }
}
