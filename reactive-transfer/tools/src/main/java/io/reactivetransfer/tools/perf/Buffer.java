package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.Memory;
import java.lang.foreign.MemorySegment;

/** What a side writes from, or is written to: memory of the host, or of a GPU. */
interface Buffer extends AutoCloseable {

  /** For the engine. */
  Memory memory();

  /** Puts there what the seed decides, the same wherever it is. */
  void fill(long seed);

  /** Of so many bytes from the first one on, as they are now. */
  long checksum(long bytes);

  /** Its bytes, for whoever reaches no device; it is the host's then. */
  MemorySegment segment();

  /** Frees it. The region of it was closed before, and that did not fail. */
  @Override
  void close();

  /** Of this device. */
  static Buffer of(Device device, long bytes) {
    return device.equals(Device.HOST) ? new HostBuffer(bytes) : GpuBuffer.allocate(device, bytes);
  }
}
