package io.reactivetransfer.spi;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** For an access that begins no copies: each is done when the call returns. */
final class WaitingBuffer implements StagingBuffer {

  private final DeviceAccess access;
  private final MemorySegment memory;

  WaitingBuffer(DeviceAccess access, long bytes) {
    this.access = access;
    this.memory = Arena.ofAuto().allocate(bytes);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    access.copyToHost(source, sourceOffset, memory, at, length);
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    access.copyFromHost(memory, at, target, targetOffset, length);
  }

  @Override
  public void await() {
    // all is done
  }

  @Override
  public void close() {
    // nothing is under way
  }
}
