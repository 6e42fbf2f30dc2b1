package io.reactivetransfer;

import java.util.Objects;

/**
 * Memory of an accelerator, named by the address that its driver gave. It can be registered with
 * NICs that reach that device by themselves, or whose driver copies through the host.
 *
 * @param device where it is; not the host
 * @param address device address of the first byte
 * @param length length in bytes, at least 1
 */
public record DeviceMemory(Device device, long address, long length) implements Memory {

  /** Checks all of them. */
  public DeviceMemory {
    Objects.requireNonNull(device, "device");
    if (device.equals(Device.HOST)) {
      throw new IllegalArgumentException(
          "expected memory of an accelerator, got some of the host; use HostMemory");
    }
    if (address == 0) {
      throw new IllegalArgumentException("expected a device address, got 0");
    }
    if (length <= 0) {
      throw new IllegalArgumentException("expected a length of 1 or more bytes, got " + length);
    }
    if (Long.compareUnsigned(address + (length - 1), address) < 0) {
      throw new IllegalArgumentException(
          "expected a range of addresses, got one that overflows: "
              + length
              + " bytes from 0x"
              + Long.toHexString(address));
    }
  }

  /** A part of it, as memory of its own. */
  public DeviceMemory slice(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, this.length);
    return new DeviceMemory(device, address + offset, length);
  }
}
