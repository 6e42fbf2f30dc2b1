package io.reactivetransfer.tcp;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Refuses staging buffers when it is told to, and counts how often it was asked for one. */
final class StingyAccess implements DeviceAccess {

  private final FakeDevice inner;
  boolean isRefusing;
  int asked;

  StingyAccess(FakeDevice inner) {
    this.inner = inner;
  }

  @Override
  public Availability availability() {
    return inner.availability();
  }

  @Override
  public List<Device> devices() {
    return inner.devices();
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
    inner.copyToHost(from, at, to, toAt, length);
  }

  @Override
  public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
    inner.copyFromHost(from, at, to, toAt, length);
  }

  @Override
  public StagingBuffer stagingBuffer(Device device, long bytes) {
    asked++;
    if (isRefusing) {
      throw new BackendException(12, "no more memory may be pinned");
    }
    return inner.stagingBuffer(device, bytes);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return inner.peek(memory, offset);
  }
}
