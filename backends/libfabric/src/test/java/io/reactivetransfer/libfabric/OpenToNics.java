package io.reactivetransfer.libfabric;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Accelerators whose memory no call copies, and which have to be told of what a card wrote. */
final class OpenToNics implements DeviceAccess {

  private static final int REFUSED = 801;

  private final Device device;
  boolean refusesFlush;
  int flushes;
  Runnable atFlush = () -> {};

  OpenToNics(Device device) {
    this.device = device;
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return List.of(device);
  }

  @Override
  public boolean isOpenToNics(Device of) {
    return true;
  }

  @Override
  public void flush(Device of) {
    flushes++;
    atFlush.run();
    if (refusesFlush) {
      throw new BackendException(REFUSED, "not flushed");
    }
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long offset, long length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long offset, long length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    throw new UnsupportedOperationException();
  }
}
