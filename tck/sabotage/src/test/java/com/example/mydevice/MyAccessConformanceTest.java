package com.example.mydevice;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.tck.DeviceConformance;

class MyAccessConformanceTest extends DeviceConformance {

  @Override
  protected DeviceAccess access() {
    return new MyAccess();
  }

  @Override
  protected DeviceMemory allocate(Device device, long bytes) {
    return new DeviceMemory(device, MyDriver.allocate(bytes), bytes);
  }

  @Override
  protected void free(DeviceMemory memory) {
    MyDriver.free(memory.address(), memory.length());
  }
}
