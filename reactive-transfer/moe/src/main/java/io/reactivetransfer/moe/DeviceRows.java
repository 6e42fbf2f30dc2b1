package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * How a group reaches memory of accelerators: the host arranges tokens and sums results up, so what
 * of them lies there is copied. Accelerators are looked for when the first one is needed, as most
 * groups need none. Safe from any thread, but for the part of a caller's own.
 */
final class DeviceRows {

  private static final long PART_BYTES = 256 << 10;

  private @Nullable Devices found;

  /**
   * Checks that memory can be copied from and to.
   *
   * @param what which memory it is, for the text
   * @throws IllegalArgumentException if its accelerator is not reached
   */
  void require(String what, DeviceMemory memory) {
    try {
      var _ = access(memory);
    } catch (BackendException e) {
      throw new IllegalArgumentException(
          "expected " + what + " that can be copied: " + e.getMessage(), e);
    }
  }

  /**
   * What copies.
   *
   * @throws BackendException if the accelerator is not reached
   */
  synchronized DeviceAccess access(DeviceMemory memory) {
    Devices all = found;
    if (all == null) {
      all = Devices.find();
      found = all;
    }
    return all.access(memory.device());
  }

  /** Memory of the host for some rows at a time, for one that is as long as this at least. */
  static MemorySegment part(long rowBytes) {
    return Arena.ofAuto().allocate(Math.max(PART_BYTES, rowBytes), MoeMemory.ALIGNMENT);
  }

  /** How many rows of a stride fit into a part. */
  static int fitting(MemorySegment part, long rowBytes, long stride, int rows) {
    return (int) Math.min(rows, 1 + (part.byteSize() - rowBytes) / stride);
  }
}
