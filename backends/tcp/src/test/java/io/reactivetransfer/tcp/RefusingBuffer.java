package io.reactivetransfer.tcp;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Takes one copy and refuses the next ones at once; counts how often it was waited for. */
final class RefusingBuffer implements StagingBuffer {

  private final MemorySegment memory;
  private boolean isTaken;
  int awaits;

  RefusingBuffer(long bytes) {
    memory = Arena.ofAuto().allocate(bytes);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    take();
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    take();
  }

  private void take() {
    if (isTaken) {
      throw new BackendException(1, "no more");
    }
    isTaken = true;
  }

  @Override
  public void await() {
    awaits++;
  }

  @Override
  public void close() {}
}
