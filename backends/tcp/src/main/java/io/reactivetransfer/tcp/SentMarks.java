package io.reactivetransfer.tcp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Views that show nothing and are released when all of a write was sent whose bytes are copied, so
 * that a connection tells it from one that is being sent; used again and again, so that a write
 * costs no object.
 */
final class SentMarks {

  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final ArrayDeque<MemoryView> free = new ArrayDeque<>();
  private final Consumer<MemoryView> home = free::push;

  /** One that nobody has released; {@linkplain MemoryView#recycle to be recycled}. */
  MemoryView take() {
    MemoryView mark = free.poll();
    return (mark == null ? new MemoryView(home, NOTHING, null) : mark).full(0, 0);
  }
}
