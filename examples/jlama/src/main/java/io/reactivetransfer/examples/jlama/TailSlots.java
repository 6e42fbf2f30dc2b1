package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/** Memory for last hidden states, which travel behind the layers. Safe from any thread. */
final class TailSlots {

  /** Far more than orders at a time. */
  private static final int SLOTS = 64;

  private final MemoryRegion region;
  private final MemorySegment memory;
  private final int length;
  private final BitSet taken = new BitSet(SLOTS);

  /**
   * In registered memory.
   *
   * @param length numbers of a hidden state
   */
  TailSlots(MemoryRegion region, MemorySegment memory, int length) {
    this.region = region;
    this.memory = memory;
    this.length = length;
  }

  /** How much memory it takes. */
  static long bytes(int length) {
    return (long) SLOTS * length * Float.BYTES;
  }

  /** One that is the caller's until it is given back. */
  synchronized int take() {
    int slot = taken.nextClearBit(0);
    if (slot == SLOTS) {
      throw new IllegalStateException("expected fewer than " + SLOTS + " orders at a time");
    }
    taken.set(slot);
    return slot;
  }

  synchronized void give(int slot) {
    taken.clear(slot);
  }

  MemorySlice slice(int slot) {
    long bytes = (long) length * Float.BYTES;
    return region.slice(slot * bytes, bytes);
  }

  void write(int slot, float[] state) {
    MemorySegment.copy(
        state, 0, memory, ValueLayout.JAVA_FLOAT, (long) slot * length * Float.BYTES, length);
  }

  float[] read(int slot) {
    float[] state = new float[length];
    MemorySegment.copy(
        memory, ValueLayout.JAVA_FLOAT, (long) slot * length * Float.BYTES, state, 0, length);
    return state;
  }
}
