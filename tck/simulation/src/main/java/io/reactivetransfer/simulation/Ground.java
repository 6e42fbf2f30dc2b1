package io.reactivetransfer.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory of all simulated processes: one block that is used for one seed after the other, cut
 * into plots whose owners are found by address.
 *
 * @param <T> an owner
 */
public final class Ground<T> {

  private static final int BYTES = 4 << 20;
  private static final int UNIT_BITS = 10;

  private final MemorySegment block = Arena.ofAuto().allocate(BYTES, 4096);
  private final @Nullable Object[] owners = new Object[BYTES >> UNIT_BITS];
  private int used;

  /** All of it is free. */
  public Ground() {}

  /** Forgets all plots. */
  public void clear() {
    Arrays.fill(owners, 0, used, null);
    used = 0;
  }

  /** Whether there is room for more. */
  public boolean hasRoom(int length) {
    return used + units(length) <= owners.length;
  }

  /** Takes so many bytes for an owner. */
  public MemorySegment take(T owner, int length) {
    int first = used;
    used += units(length);
    Arrays.fill(owners, first, used, owner);
    return block.asSlice((long) first << UNIT_BITS, length);
  }

  /** Whose memory this is; null if it is none of it, such as a doorbell. */
  @SuppressWarnings("unchecked") // only owners are put in
  public @Nullable T ownerOf(MemorySegment memory) {
    long offset = memory.address() - block.address();
    return offset < 0 || offset >= BYTES ? null : (T) owners[(int) (offset >> UNIT_BITS)];
  }

  private static int units(int length) {
    return (length + (1 << UNIT_BITS) - 1) >> UNIT_BITS;
  }
}
