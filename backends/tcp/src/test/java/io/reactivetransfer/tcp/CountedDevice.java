package io.reactivetransfer.tcp;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Counts what an accelerator is asked for. */
final class CountedDevice implements DeviceAccess {

  private static final Device DEVICE = Device.of("fake", 0);

  final FakeDevice device = new FakeDevice(DEVICE);

  /** Copies that were begun in buffers, both ways. */
  int begun;

  /** Which of those from the host is refused at once; 0 for none. */
  int refused;

  /** Copies that were waited for at once. */
  int waitedFor;

  /** Buffers that were made. */
  int buffers;

  private final boolean hasBuffers;

  CountedDevice(boolean hasBuffers) {
    this.hasBuffers = hasBuffers;
  }

  Devices asDevices() {
    return Devices.of(List.of(this));
  }

  @Override
  public Availability availability() {
    return device.availability();
  }

  @Override
  public List<Device> devices() {
    return device.devices();
  }

  @Override
  public void copyToHost(
      DeviceMemory source, long from, MemorySegment target, long to, long length) {
    waitedFor++;
    try (Arena arena = Arena.ofConfined()) { // buffers of these tests may be on the heap
      MemorySegment there = arena.allocate(length);
      device.copyToHost(source, from, there, 0, length);
      MemorySegment.copy(there, 0, target, to, length);
    }
  }

  @Override
  public void copyFromHost(
      MemorySegment source, long from, DeviceMemory target, long to, long length) {
    waitedFor++;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment here = arena.allocate(length);
      MemorySegment.copy(source, from, here, 0, length);
      device.copyFromHost(here, 0, target, to, length);
    }
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return device.peek(memory, offset);
  }

  @Override
  public StagingBuffer stagingBuffer(Device which, long bytes) {
    if (!hasBuffers) {
      throw new BackendException(1, "expected no need of a buffer, got one");
    }
    buffers++;
    StagingBuffer buffer = device.stagingBuffer(which, bytes);
    return new StagingBuffer() {
      @Override
      public MemorySegment memory() {
        return buffer.memory();
      }

      @Override
      public void fetch(DeviceMemory source, long from, long at, long length) {
        begun++;
        buffer.fetch(source, from, at, length);
      }

      @Override
      public void store(long at, DeviceMemory target, long to, long length) {
        begun++;
        if (begun == refused) {
          throw new BackendException(1, "no more");
        }
        buffer.store(at, target, to, length);
      }

      @Override
      public void await() {
        buffer.await();
      }

      @Override
      public void close() {
        buffer.close();
      }
    };
  }
}
