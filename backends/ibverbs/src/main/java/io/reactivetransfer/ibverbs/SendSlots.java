package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ffm.CompletionSlots;
import io.reactivetransfer.ibverbs.ffi.SendRequests;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC. Each has a work request in native memory, and stands in a
 * {@link Lane}, as the one behind that which was posted before it: completions come in that order,
 * so one speaks for all before it.
 */
final class SendSlots extends CompletionSlots {

  /** The rest of an id that is not below 0, which is that of receives. */
  private static final int GENERATION_BITS = 31;

  final SendRequests requests;
  private final int[] behind;
  private final @Nullable Connection[] connections;

  /** Where the offsets of the memory begin that a write goes to. */
  private final long[] bases;

  SendSlots(Arena arena, int count) {
    super(count, GENERATION_BITS);
    requests = new SendRequests(arena, count);
    behind = new int[count];
    connections = new Connection[count];
    bases = new long[count];
  }

  /** Takes a free slot for a write. */
  int take(long token, VerbsMemory source) {
    int slot = take(token, source.scope());
    behind[slot] = NONE;
    return slot;
  }

  @Override
  public void release(int slot) {
    connections[slot] = null;
    super.release(slot);
  }

  /** By what its next completion will be known: a write may be posted more than once. */
  long nextId(int slot) {
    renew(slot);
    return id(slot);
  }

  @Nullable Connection connection(int slot) {
    return connections[slot];
  }

  void connection(int slot, @Nullable Connection connection) {
    connections[slot] = connection;
  }

  /** The memory that a write goes to: where it begins, as its owner has named it. */
  void base(int slot, long address) {
    bases[slot] = address;
  }

  long base(int slot) {
    return bases[slot];
  }

  /** Whether a write has bytes for this memory, by the same name of it. */
  boolean goesTo(int slot, int rkey, long base) {
    return bases[slot] == base && requests.goesTo(slot, rkey);
  }

  int behind(int slot) {
    return behind[slot];
  }

  void behind(int slot, int next) {
    behind[slot] = next;
  }
}
