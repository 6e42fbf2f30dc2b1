package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Memory registered with one NIC, under one key.
 *
 * @param memory where the bytes are
 * @param devices reach those of an accelerator
 * @param access what writers may do
 * @param name the key, under which the NIC's {@link MemoryTable} finds it
 * @param doubt why nobody knows whether a copy from it or to it goes on; else it is empty
 */
record LoopbackMemory(
    Memory memory,
    Devices devices,
    Access access,
    LoopbackKey name,
    AtomicReference<@Nullable BackendException> doubt)
    implements LocalMemory {

  /** However little is copied, an accelerator is waited for. */
  private static final long MIN_DEVICE_COST = 64 << 10;

  long length() {
    return memory.length();
  }

  /** With nothing copied so far. */
  static LoopbackMemory of(Memory memory, Devices devices, Access access, LoopbackKey key) {
    return new LoopbackMemory(memory, devices, access, key, new AtomicReference<>());
  }

  /** The same under another key. */
  LoopbackMemory renamed(LoopbackKey key) {
    return new LoopbackMemory(memory, devices, access, key, doubt);
  }

  /** Nobody knows whether a copy from it or to it goes on; from any thread. */
  void doubt(BackendException why) {
    if (memory instanceof DeviceMemory) {
      doubt.set(why);
    }
  }

  /**
   * Nothing is on its way from it or to it.
   *
   * @throws BackendException if nobody knows that
   */
  void requireQuiet() {
    BackendException why = doubt.get();
    if (why != null) {
      throw new BackendException(
          why.code(),
          "expected memory of which nothing is copied any more, got some of which "
              + memory.device()
              + " does not say so, and may read or write it until the process ends: "
              + why.getMessage(),
          why);
    }
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
