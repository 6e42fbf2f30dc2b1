package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Forwards everything to another access: the base of those with a defect. */
class ForwardingAccess implements DeviceAccess {

  final DeviceAccess inner;

  ForwardingAccess(DeviceAccess inner) {
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
  public String kind() {
    return inner.kind();
  }

  @Override
  public String describe(Device device) {
    return inner.describe(device);
  }

  @Override
  public @Nullable String pciAddress(Device device) {
    return inner.pciAddress(device);
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
  public void copy(DeviceMemory from, long at, DeviceMemory to, long toAt, long length) {
    inner.copy(from, at, to, toAt, length);
  }

  @Override
  public StagingBuffer stagingBuffer(Device device, long bytes) {
    return inner.stagingBuffer(device, bytes);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return inner.peek(memory, offset);
  }

  @Override
  public boolean isOpenToNics(Device device) {
    return inner.isOpenToNics(device);
  }

  @Override
  public Set<DeviceWay> waysForNics(Device device) {
    return inner.waysForNics(device);
  }

  @Override
  public DmaBuf exportDmaBuf(DeviceMemory memory) {
    return inner.exportDmaBuf(memory);
  }

  @Override
  public void flush(Device device) {
    inner.flush(device);
  }

  /** As the ones beneath. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ForwardingAccess same && inner.equals(same.inner);
  }

  @Override
  public int hashCode() {
    return inner.hashCode();
  }
}
