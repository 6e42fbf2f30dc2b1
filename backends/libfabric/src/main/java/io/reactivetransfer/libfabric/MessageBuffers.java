package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Buffers of one length for messages, each with a context that names it in its completion. A place
 * in memory that is registered where the provider wants that.
 */
final class MessageBuffers {

  private final ByteBuffer[] buffers;
  private final long[] addresses;
  private final long contexts;
  private final long desc;

  /**
   * Makes them.
   *
   * @param arena lives as long as the endpoint
   * @param key that no other registration of the domain has
   */
  MessageBuffers(OpenFabric fabric, Arena arena, int count, int bytes, long key) {
    buffers = new ByteBuffer[count];
    addresses = new long[count];
    MemorySegment slab = arena.allocate((long) count * bytes, FiLayout.CONTEXT_BYTES);
    for (int i = 0; i < count; i++) {
      MemorySegment part = slab.asSlice((long) i * bytes, bytes);
      buffers[i] = part.asByteBuffer();
      addresses[i] = part.address();
    }
    contexts = arena.allocate(count * FiLayout.CONTEXT_BYTES, FiLayout.CONTEXT_BYTES).address();
    if (fabric.info.needs(Fi.FI_MR_LOCAL)) {
      long registration =
          fabric.register(slab.address(), slab.byteSize(), Fi.FI_TRANSMIT | Fi.FI_RECV, key);
      desc = fabric.lib.fi_mr_desc(registration);
    } else {
      desc = 0;
    }
  }

  int count() {
    return buffers.length;
  }

  /** The buffer, cleared. */
  ByteBuffer buffer(int index) {
    return buffers[index].clear();
  }

  long address(int index) {
    return addresses[index];
  }

  long desc() {
    return desc;
  }

  long context(int index) {
    return contexts + index * FiLayout.CONTEXT_BYTES;
  }

  /** Whose context this is, or -1 if it is none of these. */
  int indexOf(long context) {
    long offset = context - contexts;
    return offset >= 0 && offset < count() * FiLayout.CONTEXT_BYTES
        ? (int) (offset / FiLayout.CONTEXT_BYTES)
        : -1;
  }
}
