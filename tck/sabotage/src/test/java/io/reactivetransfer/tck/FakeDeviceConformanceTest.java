package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;

/** The kit's own accelerator keeps the rules that others have to. */
class FakeDeviceConformanceTest extends DeviceConformance {

  private final FakeDevice device = new FakeDevice(Device.of("fake", 0));

  @Override
  protected DeviceAccess access() {
    return device;
  }

  @Override
  protected DeviceMemory allocate(Device of, long bytes) {
    return device.allocate((int) bytes);
  }

  @Override
  protected void free(DeviceMemory memory) {
    device.free(memory);
  }

  @Override
  protected void write(DeviceMemory memory, byte[] bytes) {
    device.write(memory, bytes);
  }

  @Override
  protected byte[] read(DeviceMemory memory) {
    return device.read(memory);
  }
}
