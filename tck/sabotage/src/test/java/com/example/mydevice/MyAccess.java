package com.example.mydevice;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Reaches the memory of one accelerator. */
public final class MyAccess implements DeviceAccess {

  private static final Device DEVICE = Device.of("mydevice", 0);

  /** As the service loader makes it. */
  public MyAccess() {}

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return List.of(DEVICE);
  }

  /** The address may be any number: only the device says whose it is. */
  private static long address(DeviceMemory memory, long offset) {
    if (!memory.device().equals(DEVICE)) {
      throw new BackendException(0, "expected memory of " + DEVICE + ", got " + memory);
    }
    return memory.address() + offset;
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
    MyDriver.read(address(from, at), to, toAt, length);
  }

  @Override
  public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
    MyDriver.write(from, at, address(to, toAt), length);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return MyDriver.word(address(memory, offset));
  }

  /** Each engine finds its own, and all reach the same device. */
  @Override
  public boolean equals(Object other) {
    return other instanceof MyAccess;
  }

  @Override
  public int hashCode() {
    return MyAccess.class.hashCode();
  }
}
