package io.reactivetransfer.spi;

/** Ties threads to CPUs; found through {@link java.util.ServiceLoader}. */
public interface CpuPinning {

  /** Whether it works here. */
  Availability availability();

  /**
   * Ties the calling thread to one CPU.
   *
   * @throws BackendException if the CPU does not exist or may not be used
   */
  void pinCurrentThread(int cpu);
}
