package io.reactivetransfer.spi;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Copies between accelerators of which none reaches the other: in parts, through the host. */
final class ThroughHost {

  /** A part stays in the caches of the CPU between its two copies. */
  private static final long PART_BYTES = 64 << 10;

  private ThroughHost() {}

  /**
   * Copies; when it returns the bytes are there.
   *
   * @param from reaches the source
   * @param to reaches the target
   * @throws BackendException if a device refuses; parts of the target may have changed by then
   */
  static void copy(
      DeviceAccess from,
      DeviceMemory source,
      long sourceOffset,
      DeviceAccess to,
      DeviceMemory target,
      long targetOffset,
      long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment part = arena.allocate(Math.clamp(length, 1, PART_BYTES));
      for (long done = 0; done < length; done += part.byteSize()) {
        long bytes = Math.min(part.byteSize(), length - done);
        from.copyToHost(source, sourceOffset + done, part, 0, bytes);
        to.copyFromHost(part, 0, target, targetOffset + done, bytes);
      }
    }
  }
}
