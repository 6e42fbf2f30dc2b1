package io.reactivetransfer.spi;

/**
 * Lets threads wait for the file descriptors of NICs; found through {@link
 * java.util.ServiceLoader}. Where there is none, NIC threads poll. Safe from any thread.
 */
public interface NicWaits {

  /** Whether it works here. Never throws. */
  Availability availability();

  /**
   * Opens what one thread waits with.
   *
   * @throws BackendException if it is not available, or the process has no file descriptor left
   */
  NicWait open();
}
