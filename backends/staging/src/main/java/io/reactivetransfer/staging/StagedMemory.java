package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import org.jspecify.annotations.Nullable;

/** Memory of an accelerator, registered under one key. */
final class StagedMemory implements LocalMemory {

  private final DeviceMemory memory;
  private final Access access;
  private final StagedKey key;
  private boolean open = true;
  private @Nullable BackendException doubt;

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

  /** Nobody knows whether a copy from or to it goes on, since its accelerator refused to say. */
  void doubt(BackendException why) {
    doubt = why;
  }

  /**
   * Nothing is on its way from it or to it.
   *
   * @throws BackendException if nobody knows that
   */
  void requireQuiet() {
    BackendException why = doubt;
    if (why != null) {
      throw new BackendException(
          why.code(),
          "expected memory of which nothing is copied any more, got some of which "
              + memory.device()
              + " does not say so, and may read or write it until the process ends: "
              + why.getMessage(),
          why);
    }
  }

  /** Whether there is such a range, whatever the numbers are. */
  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && length <= memory.length() - offset;
  }
}
