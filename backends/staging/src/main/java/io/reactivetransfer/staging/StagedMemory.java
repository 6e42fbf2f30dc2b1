package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.LocalMemory;

/** Memory of an accelerator, registered under one key. */
final class StagedMemory implements LocalMemory {

  private final DeviceMemory memory;
  private final Access access;
  private final StagedKey key;
  private boolean open = true;

  StagedMemory(DeviceMemory memory, Access access, StagedKey key) {
    this.memory = memory;
    this.access = access;
    this.key = key;
  }

  DeviceMemory memory() {
    return memory;
  }

  Access access() {
    return access;
  }

  StagedKey stagedKey() {
    return key;
  }

  @Override
  public byte[] key() {
    return key.encode();
  }

  /** Whether others may write to it under this key, as far as they ever could. */
  boolean isOpen() {
    return open;
  }

  void shut() {
    open = false;
  }

  /** Whether there is such a range, whatever the numbers are. */
  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && length <= memory.length() - offset;
  }
}
