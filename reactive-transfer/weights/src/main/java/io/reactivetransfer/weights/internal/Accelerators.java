package io.reactivetransfer.weights.internal;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import org.jspecify.annotations.Nullable;

/**
 * The accelerators that are reached from this process, for a CPU that computes with bytes of
 * theirs. They are looked for when the first one is needed, as most need none. Safe from any
 * thread.
 */
public final class Accelerators {

  private @Nullable Devices found;

  /** Looks for nothing yet. */
  public Accelerators() {}

  /**
   * Checks that memory can be read by {@link #window}.
   *
   * @param what which memory it is, for the text
   * @throws IllegalArgumentException if its accelerator is not reached
   */
  public void require(String what, DeviceMemory memory) {
    try {
      var _ = devices().access(memory.device());
    } catch (BackendException e) {
      throw new IllegalArgumentException(
          "expected memory that the CPU reaches for " + what + ": " + e.getMessage(), e);
    }
  }

  /**
   * Memory as the CPU reads it.
   *
   * @param end no byte from this one on is read
   * @throws BackendException if its accelerator is not reached
   */
  public DeviceWindow window(DeviceMemory memory, long end) {
    return new DeviceWindow(devices().access(memory.device()), memory, end);
  }

  private synchronized Devices devices() {
    Devices all = found;
    if (all == null) {
      all = Devices.find();
      found = all;
    }
    return all;
  }
}
