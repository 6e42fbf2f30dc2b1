package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.SendRequests;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC. Each has a work request in native memory, and stands in a
 * {@link Lane}, as the one behind that which was posted before it: completions come in that order,
 * so one speaks for all before it. A request is known by its slot and by how often that was taken:
 * what comes late of the write before is not taken for its present one.
 */
final class SendSlots {

  static final int NONE = -1;

  final SendRequests requests;
  private final long[] tokens;
  private final int[] taken;
  private final int[] behind;
  private final @Nullable VerbsMemory[] sources;
  private final @Nullable Connection[] connections;
  private final int[] free;
  private int freeCount;

  SendSlots(Arena arena, int count) {
    requests = new SendRequests(arena, count);
    tokens = new long[count];
    taken = new int[count];
    behind = new int[count];
    sources = new VerbsMemory[count];
    connections = new Connection[count];
    free = new int[count];
    for (int i = count - 1; i >= 0; i--) {
      free[freeCount++] = i;
    }
  }

  boolean isFull() {
    return freeCount == 0;
  }

  /** Takes a free slot for a write. */
  int take(long token, VerbsMemory source) {
    int slot = free[--freeCount];
    tokens[slot] = token;
    sources[slot] = source;
    behind[slot] = NONE;
    return slot;
  }

  /** Gives a slot back. */
  void release(int slot) {
    sources[slot] = null;
    connections[slot] = null;
    free[freeCount++] = slot;
  }

  /** By what its next completion will be known. */
  long nextId(int slot) {
    return (long) (++taken[slot] & Integer.MAX_VALUE) << Integer.SIZE | slot;
  }

  /** The slot of a completion; {@link #NONE} if it is of an earlier write. */
  int slotOf(long id) {
    int slot = (int) id;
    boolean isPresent =
        slot >= 0
            && slot < taken.length
            && id >>> Integer.SIZE == (taken[slot] & Integer.MAX_VALUE)
            && connections[slot] != null;
    return isPresent ? slot : NONE;
  }

  long token(int slot) {
    return tokens[slot];
  }

  /** Whether what a write is sent from was not freed meanwhile. */
  boolean isSourceAlive(int slot) {
    VerbsMemory source = sources[slot];
    return source != null && source.isAlive();
  }

  @Nullable Connection connection(int slot) {
    return connections[slot];
  }

  void connection(int slot, @Nullable Connection connection) {
    connections[slot] = connection;
  }

  int behind(int slot) {
    return behind[slot];
  }

  void behind(int slot, int next) {
    behind[slot] = next;
  }
}
