package io.reactivetransfer.libfabric;

import io.reactivetransfer.libfabric.ffi.FiLayout;
import io.reactivetransfer.spi.WriteOp;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC. Each has a context in native memory, whose address comes back
 * with its completion.
 */
final class WriteSlots {

  private final long contexts;
  private final long[] tokens;
  private final long[] sources;
  private final long[] lengths;
  private final long[] descs;
  private final long[] targets;
  private final int[] imms;
  private final boolean[] withImm;
  private final @Nullable Route[] routes;
  private final @Nullable Initiator[] initiators;
  private final int[] free;
  private int freeCount;

  WriteSlots(Arena arena, int count) {
    // Two for each: the bytes of a write and its immediate may be two operations.
    contexts =
        arena.allocate(2L * count * FiLayout.CONTEXT_BYTES, FiLayout.CONTEXT_BYTES).address();
    tokens = new long[count];
    sources = new long[count];
    lengths = new long[count];
    descs = new long[count];
    targets = new long[count];
    imms = new int[count];
    withImm = new boolean[count];
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

  /** Puts a write into the slot that is taken next, and gives that. */
  int fill(WriteOp op, Route route) {
    int slot = free[freeCount - 1];
    FabricMemory source = (FabricMemory) op.source();
    tokens[slot] = op.token();
    sources[slot] = source.address() + op.sourceOffset();
    descs[slot] = source.desc();
    lengths[slot] = op.length();
    targets[slot] = route.base() + op.targetOffset();
    withImm[slot] = op.hasImm();
    imms[slot] = op.imm();
    return slot;
  }

  /** Takes the slot that was filled. */
  void take(int slot, Route route, Initiator initiator) {
    freeCount--;
    routes[slot] = route;
    initiators[slot] = initiator;
    route.posted();
    initiator.posted();
  }

  /** Gives a slot back; what was in it can be read until another takes it. */
  void release(int slot) {
    Route route = routes[slot];
    Initiator initiator = initiators[slot];
    if (route == null || initiator == null) {
      throw new IllegalStateException("slot " + slot + " is free");
    }
    route.ended();
    initiator.ended();
    routes[slot] = null;
    initiators[slot] = null;
    free[freeCount++] = slot;
  }

  long context(int slot) {
    return contexts + slot * FiLayout.CONTEXT_BYTES;
  }

  /** The context of the bytes, where they are an operation of their own; nobody waits for it. */
  long contextOfBytes(int slot) {
    return context(count() + slot);
  }

  /** The slot with this context, or -1 if there is none, or nothing in it. */
  int slotOf(long context) {
    long offset = context - contexts;
    if (offset < 0 || offset >= count() * FiLayout.CONTEXT_BYTES) {
      return -1;
    }
    int slot = (int) (offset / FiLayout.CONTEXT_BYTES);
    return routes[slot] == null ? -1 : slot;
  }

  /** Address of the first byte. */
  long source(int slot) {
    return sources[slot];
  }

  long desc(int slot) {
    return descs[slot];
  }

  long length(int slot) {
    return lengths[slot];
  }

  /** Address at the target, as it wants it. */
  long target(int slot) {
    return targets[slot];
  }

  boolean hasImm(int slot) {
    return withImm[slot];
  }

  /** The immediate as the wire carries it. */
  long imm(int slot) {
    return Integer.toUnsignedLong(imms[slot]);
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
