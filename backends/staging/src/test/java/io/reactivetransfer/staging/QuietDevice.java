package io.reactivetransfer.staging;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** An accelerator which copies nothing, and allocates nothing for that: its bytes are nobody's. */
final class QuietDevice implements DeviceAccess {

  private static final Device DEVICE = Device.of("quiet", 0);

  /** As much as is asked for. */
  DeviceMemory memory(long bytes) {
    return new DeviceMemory(DEVICE, 1L << 40, bytes);
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return List.of(DEVICE);
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long offset, long length) {}

  @Override
  public void copyFromHost(
      MemorySegment from, long at, DeviceMemory to, long offset, long length) {}

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return 0;
  }

  @Override
  public StagingBuffer stagingBuffer(Device device, long bytes) {
    return new Buffer(Arena.ofAuto().allocate(bytes, Long.BYTES));
  }

  private record Buffer(MemorySegment memory) implements StagingBuffer {

    @Override
    public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {}

    @Override
    public void store(long at, DeviceMemory target, long targetOffset, long length) {}

    @Override
    public void await() {}

    @Override
    public void close() {}
  }
}
