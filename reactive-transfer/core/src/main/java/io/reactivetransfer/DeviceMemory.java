package io.reactivetransfer;

/**
 * Memory of an accelerator, named by the address that its driver gave.
 *
 * @param device ordinal of the device
 * @param address device address of the first byte
 * @param length length in bytes, at least 1
 */
public record DeviceMemory(int device, long address, long length) implements Memory {

  /** Checks device and length. */
  public DeviceMemory {
    if (device < 0) {
      throw new IllegalArgumentException("expected a device of 0 or more, got " + device);
    }
    if (address == 0) {
      throw new IllegalArgumentException("expected a device address, got 0");
    }
    if (length <= 0) {
      throw new IllegalArgumentException("expected a length of 1 or more bytes, got " + length);
    }
  }
}
