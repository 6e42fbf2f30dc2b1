package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory registered with one NIC, under one key.
 *
 * @param memory where the bytes are
 * @param devices reach those of an accelerator
 * @param access what writers may do
 * @param name the key, under which the NIC's {@link MemoryTable} finds it
 */
record LoopbackMemory(Memory memory, Devices devices, Access access, LoopbackKey name)
    implements LocalMemory {

  /** What goes from one accelerator to another goes through the host in such parts. */
  private static final long STAGE_BYTES = 64 << 10;

  long length() {
    return memory.length();
  }

  /** The same under another key. */
  LoopbackMemory renamed(LoopbackKey key) {
    return new LoopbackMemory(memory, devices, access, key);
  }

  /** Copies from other memory; both ranges were checked. */
  void copyFrom(LoopbackMemory source, long from, long to, long bytes) {
    switch (memory) {
      case HostMemory host -> source.copyTo(host.segment(), from, to, bytes);
      case DeviceMemory device -> {
        DeviceAccess reach = devices.access(device.device());
        if (source.memory instanceof HostMemory host) {
          reach.copyFromHost(host.segment(), from, device, to, bytes);
        } else {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment stage = arena.allocate(Math.clamp(bytes, 1, STAGE_BYTES));
            for (long done = 0; done < bytes; done += stage.byteSize()) {
              long part = Math.min(stage.byteSize(), bytes - done);
              source.copyTo(stage, from + done, 0, part);
              reach.copyFromHost(stage, 0, device, to + done, part);
            }
          }
        }
      }
    }
  }

  private void copyTo(MemorySegment target, long from, long to, long bytes) {
    switch (memory) {
      case HostMemory host -> MemorySegment.copy(host.segment(), from, target, to, bytes);
      case DeviceMemory device ->
          devices.access(device.device()).copyToHost(device, from, target, to, bytes);
    }
  }

  @Override
  public byte[] key() {
    return name.toBytes();
  }
}
