package io.reactivetransfer.devices;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.tck.FakeDevice;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Access to a made-up accelerator, as an artifact for a real one would bring it along. */
public final class FoundDevice implements DeviceAccess {

  /** The one that there is on this machine, however many are asked for access to it. */
  static final FakeDevice HARDWARE = new FakeDevice(Device.of("made-up", 0));

  /** What happens before memory of it is copied to the host. */
  static final AtomicReference<Runnable> READING = new AtomicReference<>(() -> {});

  /** By the service loader. */
  public FoundDevice() {}

  @Override
  public Availability availability() {
    return HARDWARE.availability();
  }

  @Override
  public List<Device> devices() {
    return HARDWARE.devices();
  }

  @Override
  public void copyToHost(
      DeviceMemory source,
      long sourceOffset,
      MemorySegment target,
      long targetOffset,
      long length) {
    READING.get().run();
    HARDWARE.copyToHost(source, sourceOffset, target, targetOffset, length);
  }

  @Override
  public void copyFromHost(
      MemorySegment source,
      long sourceOffset,
      DeviceMemory target,
      long targetOffset,
      long length) {
    HARDWARE.copyFromHost(source, sourceOffset, target, targetOffset, length);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return HARDWARE.peek(memory, offset);
  }
}
