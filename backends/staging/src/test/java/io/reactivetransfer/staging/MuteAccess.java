package io.reactivetransfer.staging;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The copies of a device, which says no more whether they are over when a test wants it so. */
final class MuteAccess implements DeviceAccess {

  private final FakeDevice device;

  /** Whether it says nothing. */
  boolean isMute;

  MuteAccess(FakeDevice device) {
    this.device = device;
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
      DeviceMemory source, long sourceOffset, MemorySegment target, long at, long length) {
    device.copyToHost(source, sourceOffset, target, at, length);
  }

  @Override
  public void copyFromHost(
      MemorySegment source, long at, DeviceMemory target, long targetOffset, long length) {
    device.copyFromHost(source, at, target, targetOffset, length);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return device.peek(memory, offset);
  }

  @Override
  public StagingBuffer stagingBuffer(Device of, long bytes) {
    return new MuteBuffer(device.stagingBuffer(of, bytes));
  }

  private final class MuteBuffer implements StagingBuffer {
    private final StagingBuffer buffer;
    private boolean isLost;

    MuteBuffer(StagingBuffer buffer) {
      this.buffer = buffer;
    }

    @Override
    public MemorySegment memory() {
      return buffer.memory();
    }

    @Override
    public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
      buffer.fetch(source, sourceOffset, at, length);
    }

    @Override
    public void store(long at, DeviceMemory target, long targetOffset, long length) {
      buffer.store(at, target, targetOffset, length);
    }

    @Override
    public void await() {
      if (isMute) {
        isLost = true;
        throw new BackendException(999, "it does not say");
      }
      buffer.await();
    }

    @Override
    public boolean isOver() {
      return !isLost;
    }

    @Override
    public void close() {
      if (!isLost) {
        buffer.close();
      }
    }
  }
}
