package io.reactivetransfer.libfabric;

import io.reactivetransfer.ffm.CompletionSlots;
import io.reactivetransfer.libfabric.ffi.FiLayout;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC. Each has a context in native memory, whose address comes back
 * with its completion: a slot has one for each of its generations.
 */
final class WriteSlots extends CompletionSlots {

  /**
   * A queue gives completions in the order in which they came; so when a slot's present write is
   * complete, there is nothing left of what it had two writes ago.
   */
  private static final int GENERATION_BITS = 2;

  private final long contexts;
  private final @Nullable Route[] routes;
  private final @Nullable Initiator[] initiators;

  WriteSlots(Arena arena, int count) {
    super(count, GENERATION_BITS);
    long bytes = ((long) count << GENERATION_BITS) * FiLayout.CONTEXT_BYTES;
    contexts = arena.allocate(bytes, FiLayout.CONTEXT_BYTES).address();
    routes = new Route[count];
    initiators = new Initiator[count];
  }

  /** Takes {@link #next()}. */
  void take(long token, FabricMemory source, Route route, Initiator initiator) {
    int slot = take(token, source.scope());
    routes[slot] = route;
    initiators[slot] = initiator;
    route.posted();
  }

  @Override
  public void release(int slot) {
    Route route = routes[slot];
    if (route == null) {
      throw new IllegalStateException("slot " + slot + " is free");
    }
    route.ended();
    routes[slot] = null;
    initiators[slot] = null;
    super.release(slot);
  }

  /** Of the write that is in a slot, or that takes it next. */
  long context(int slot) {
    return contexts + id(slot) * FiLayout.CONTEXT_BYTES;
  }

  /** The slot of the write with this context, or {@link #NONE} if no such write is out. */
  int slotOfContext(long context) {
    long offset = context - contexts;
    return offset % FiLayout.CONTEXT_BYTES == 0 ? slotOf(offset / FiLayout.CONTEXT_BYTES) : NONE;
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
