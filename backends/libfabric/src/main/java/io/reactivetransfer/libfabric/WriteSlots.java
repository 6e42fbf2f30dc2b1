package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.FiLayout;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC. Each has a context in native memory, whose address comes back
 * with its completion. A slot has several contexts, and takes the next one each time: what comes
 * late of the write that it had before is not taken for its present one.
 */
final class WriteSlots {

  /**
   * A power of two. A queue gives completions in the order in which they came; so when a slot's
   * present write is complete, there is nothing left of what it had two writes ago.
   */
  private static final int GENERATIONS = 4;

  private static final long SLOT_BYTES = GENERATIONS * FiLayout.CONTEXT_BYTES;

  private final long contexts;
  private final byte[] generations;
  private final long[] tokens;
  private final @Nullable FabricMemory[] sources;
  private final @Nullable Route[] routes;
  private final @Nullable Initiator[] initiators;
  private final int[] free;
  private int freeCount;

  WriteSlots(Arena arena, int count) {
    contexts = arena.allocate(count * SLOT_BYTES, FiLayout.CONTEXT_BYTES).address();
    generations = new byte[count];
    tokens = new long[count];
    sources = new FabricMemory[count];
    routes = new Route[count];
    initiators = new Initiator[count];
    free = new int[count];
    for (int i = 0; i < count; i++) {
      free[freeCount++] = i;
    }
  }

  int count() {
    return tokens.length;
  }

  boolean isFull() {
    return freeCount == 0;
  }

  /** The slot that is taken next. */
  int next() {
    return free[freeCount - 1];
  }

  /** Takes {@link #next()}. */
  void take(int slot, long token, FabricMemory source, Route route, Initiator initiator) {
    freeCount--;
    tokens[slot] = token;
    sources[slot] = source;
    routes[slot] = route;
    initiators[slot] = initiator;
    route.posted();
  }

  /** Gives a slot back; what was in it can be read until another takes it. */
  void release(int slot) {
    Route route = routes[slot];
    if (route == null) {
      throw new IllegalStateException("slot " + slot + " is free");
    }
    route.ended();
    sources[slot] = null;
    routes[slot] = null;
    initiators[slot] = null;
    generations[slot] = (byte) ((generations[slot] + 1) & (GENERATIONS - 1));
    free[freeCount++] = slot;
  }

  /** Of the write that is in a slot, or that takes it next. */
  long context(int slot) {
    return contexts + slot * SLOT_BYTES + generations[slot] * FiLayout.CONTEXT_BYTES;
  }

  /** The slot of the write with this context, or -1 if no such write is out. */
  int slotOf(long context) {
    long offset = context - contexts;
    if (offset < 0 || offset >= count() * SLOT_BYTES) {
      return -1;
    }
    int slot = (int) (offset / SLOT_BYTES);
    return routes[slot] == null || context != context(slot) ? -1 : slot;
  }

  /** Whether what a write is sent from was not freed meanwhile. */
  boolean isSourceAlive(int slot) {
    FabricMemory source = sources[slot];
    return source != null && source.isAlive();
  }

  long token(int slot) {
    return tokens[slot];
  }

  /** The route of a slot that is taken. */
  @Nullable Route route(int slot) {
    return routes[slot];
  }

  /** Through which endpoint it went; null if the slot is free. */
  @Nullable Initiator initiator(int slot) {
    return initiators[slot];
  }
}
