package io.reactivetransfer.cuda;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A pinned buffer in the hands of one driver. It is given back once, however often that driver
 * closes it: the next time it may be somebody else's.
 */
final class LentBuffer implements StagingBuffer {

  private final CudaBuffer buffer;
  private final AtomicBoolean isGivenBack = new AtomicBoolean();

  LentBuffer(CudaBuffer buffer) {
    this.buffer = buffer;
  }

  @Override
  public MemorySegment memory() {
    return buffer.memory();
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    buffer.fetch(source, sourceOffset, at, length);
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    buffer.store(at, target, targetOffset, length);
  }

  @Override
  public void await() {
    buffer.await();
  }

  @Override
  public boolean isOver() {
    return buffer.isOver();
  }

  @Override
  public void close() {
    if (isGivenBack.get()) {
      return;
    }
    buffer.requireThreadToWait(); // who is refused may try again
    if (!isGivenBack.getAndSet(true)) {
      buffer.close();
    }
  }
}
