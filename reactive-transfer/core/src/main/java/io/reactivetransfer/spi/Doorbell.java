package io.reactivetransfer.spi;

/** Wakes the thread that drives a NIC. */
@FunctionalInterface
public interface Doorbell {

  /**
   * Makes the worker poll soon. Cheap, from any thread, as often as wanted; rings during a turn
   * cause one more turn.
   */
  void ring();
}
