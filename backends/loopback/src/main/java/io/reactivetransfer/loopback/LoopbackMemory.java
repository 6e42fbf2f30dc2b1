package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
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

  /** However little is copied, an accelerator is waited for. */
  private static final long MIN_DEVICE_COST = 64 << 10;

  long length() {
    return memory.length();
  }

  /** The same under another key. */
  LoopbackMemory renamed(LoopbackKey key) {
    return new LoopbackMemory(memory, devices, access, key);
  }

  /** What a copy costs the thread that makes it, as so many bytes of the host. */
  long cost(LoopbackMemory source, long bytes) {
    boolean isOfDevice = memory instanceof DeviceMemory || source.memory instanceof DeviceMemory;
    return isOfDevice ? Math.max(bytes, MIN_DEVICE_COST) : bytes;
  }

  /** Copies from other memory; both ranges were checked. */
  void copyFrom(LoopbackMemory source, long from, long to, long bytes) {
    switch (memory) {
      case HostMemory host -> source.copyTo(host.segment(), from, to, bytes);
      case DeviceMemory device -> {
        switch (source.memory) {
          case HostMemory host ->
              devices.access(device.device()).copyFromHost(host.segment(), from, device, to, bytes);
          case DeviceMemory other -> devices.copy(source.devices, other, from, device, to, bytes);
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
