package io.reactivetransfer.spi;

/**
 * Has faults of memory shown where it is touched.
 *
 * <p>Where a mapped file was cut off, touching it is a fault, which HotSpot throws as an {@link
 * InternalError}, and not at once but at the next safepoint poll: when all calls are inlined, long
 * after the access, and outside of whatever would have caught it. So whoever reads or writes memory
 * of an application by instructions of the CPU calls {@link #report} behind that, within the same
 * {@code try}, and catches {@link InternalError} next to the {@link IllegalStateException} of
 * memory that was freed.
 */
public final class MemoryFaults {

  private MemoryFaults() {}

  /**
   * Throws the fault of what was touched last on this thread, if there was one. Takes a few
   * nanoseconds.
   *
   * @param any what the compiler does not know, such as how long it was: else it may leave out the
   *     loop that this is
   * @throws InternalError if it was a fault
   */
  public static void report(int any) {
    int left = any | 2;
    while (left != 0) { // a loop that is not counted polls in each of its rounds
      left >>>= 1;
    }
  }
}
