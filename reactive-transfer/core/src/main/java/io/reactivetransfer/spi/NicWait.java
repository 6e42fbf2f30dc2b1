package io.reactivetransfer.spi;

/**
 * Lets one thread wait until a NIC has something for it, instead of polling. Made by {@link
 * NicWaits#open()}. Belongs to one thread; only {@link #wake()} may come from others.
 */
public interface NicWait {

  /**
   * Replaces what is waited for. Called on the thread that waits, and only when something has
   * changed.
   *
   * @param descriptors file descriptors, of {@link Domain#waitDescriptors()}; copied
   * @throws BackendException if it cannot wait for so many
   */
  void watch(int[] descriptors);

  /**
   * Waits until one of the descriptors is readable, has an error or was hung up, {@link #wake()}
   * was called, or the time is over; may also return for no reason. Blocks the calling thread, and
   * allocates nothing.
   *
   * @param nanos how long at most, 0 or more
   * @return false when the time was over, or for no reason
   * @throws BackendException if the operating system refuses, such as for a descriptor that is not
   *     open
   */
  boolean await(long nanos);

  /**
   * Ends the present {@link #await}, or the next one at once if there is none. Cheap, from any
   * thread; does nothing after {@link #close()}.
   */
  void wake();

  /** Gives back what it holds. Called on the thread that waits, once. */
  void close();
}
