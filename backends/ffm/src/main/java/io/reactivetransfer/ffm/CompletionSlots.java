package io.reactivetransfer.ffm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The writes that are out on one NIC, each in a slot. To the NIC a slot is known by its id, which
 * consists of its number and of its generation: what comes late of the write that it had before is
 * not taken for its present one. Allocates nothing when it is used. For one thread.
 */
public class CompletionSlots {

  /** No slot. */
  public static final int NONE = -1;

  private final int generationBits;
  private final int[] generations;
  private final long[] tokens;
  private final MemorySegment.@Nullable Scope[] sources;
  private final int[] free;
  private int freeCount;

  /**
   * All of them free.
   *
   * @param generationBits 1 to 31; after two to the power of so many generations, a slot has the
   *     ids of before again
   */
  public CompletionSlots(int count, int generationBits) {
    this.generationBits = generationBits;
    generations = new int[count];
    tokens = new long[count];
    sources = new MemorySegment.Scope[count];
    free = new int[count];
    for (int i = count - 1; i >= 0; i--) {
      free[freeCount++] = i;
    }
  }

  /** How many there are, free ones counted. */
  public final int count() {
    return tokens.length;
  }

  /** Whether none is free. */
  public final boolean isFull() {
    return freeCount == 0;
  }

  /** The slot that is taken next. */
  public final int next() {
    return free[freeCount - 1];
  }

  /**
   * Takes {@link #next()}.
   *
   * @param source of the memory that the write is sent from
   */
  public final int take(long token, MemorySegment.Scope source) {
    int slot = free[--freeCount];
    tokens[slot] = token;
    sources[slot] = source;
    return slot;
  }

  /** Gives a slot back; its token can be read until it is taken again. */
  public void release(int slot) {
    sources[slot] = null;
    renew(slot);
    free[freeCount++] = slot;
  }

  /** Gives a slot the id of its next generation: the NIC may still report under the present one. */
  public final void renew(int slot) {
    generations[slot] = (generations[slot] + 1) & ((1 << generationBits) - 1);
  }

  /**
   * By what the NIC knows the write that is in a slot, or that takes it next: from 0 to {@link
   * #count()} times the number of generations.
   */
  public final long id(int slot) {
    return (long) slot << generationBits | generations[slot];
  }

  /** The slot of the write with this id, or {@link #NONE} if no such write is out. */
  public final int slotOf(long id) {
    long slot = id >> generationBits;
    boolean isOut =
        slot >= 0 && slot < count() && sources[(int) slot] != null && id == id((int) slot);
    return isOut ? (int) slot : NONE;
  }

  /** What the write in a slot is known by to whoever has posted it. */
  public final long token(int slot) {
    return tokens[slot];
  }

  /** Whether what a write is sent from was not freed meanwhile. */
  public final boolean isSourceAlive(int slot) {
    MemorySegment.Scope source = sources[slot];
    return source != null && source.isAlive();
  }
}
