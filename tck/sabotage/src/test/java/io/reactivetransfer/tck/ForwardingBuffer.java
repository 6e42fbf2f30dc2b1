package io.reactivetransfer.tck;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;

/** Forwards everything to another staging buffer: the base of those with a defect. */
class ForwardingBuffer implements StagingBuffer {

  final StagingBuffer inner;

  ForwardingBuffer(StagingBuffer inner) {
    this.inner = inner;
  }

  @Override
  public MemorySegment memory() {
    return inner.memory();
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    inner.fetch(source, sourceOffset, at, length);
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    inner.store(at, target, targetOffset, length);
  }

  @Override
  public void await() {
    inner.await();
  }

  @Override
  public boolean isOver() {
    return inner.isOver();
  }

  @Override
  public void close() {
    inner.close();
  }
}
