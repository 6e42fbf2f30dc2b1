package io.reactivetransfer.spi;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** For an access that begins no copies: each is done when the call returns. */
final class WaitingBuffer implements StagingBuffer {

  private final DeviceAccess access;
  private final MemorySegment memory;

  /** Why nobody knows whether all is done. */
  private @Nullable BackendException lost;

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
    try {
      access.copyToHost(source, sourceOffset, memory, at, length);
    } catch (BackendException e) {
      throw remembered(e);
    }
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    try {
      access.copyFromHost(memory, at, target, targetOffset, length);
    } catch (BackendException e) {
      throw remembered(e);
    }
  }

  private BackendException remembered(BackendException why) {
    lost = why.isOver() ? lost : why;
    return why;
  }

  @Override
  public void await() {
    BackendException why = lost;
    if (why != null) {
      throw why;
    }
  }

  @Override
  public boolean isOver() {
    return lost == null;
  }

  @Override
  public void close() {
    // nothing is under way
  }
}
