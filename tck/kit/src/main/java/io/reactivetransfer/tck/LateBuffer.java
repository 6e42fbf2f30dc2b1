package io.reactivetransfer.tck;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A staging buffer as late as it may be: what was begun is done when it is waited for. So who
 * reports a write before that reports bytes that are not there; and who is refused is told then.
 */
final class LateBuffer implements StagingBuffer {

  private final FakeDevice device;
  private final MemorySegment memory;
  private @Nullable BackendException failure;
  private boolean isLost;

  LateBuffer(FakeDevice device, long bytes) {
    this.device = device;
    this.memory = Arena.ofAuto().allocate(bytes);
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    device.begin(new LateCopy(this, () -> device.bring(source, sourceOffset, memory, at, length)));
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    device.begin(new LateCopy(this, () -> device.store(memory, at, target, targetOffset, length)));
  }

  /** One of its copies has failed. */
  void fail(BackendException why) {
    failure = failure == null ? why : failure;
  }

  @Override
  public void await() {
    isLost = true; // until it says otherwise
    device.requireSpeech();
    isLost = false;
    device.makeAllOf(this);
    BackendException why = failure;
    failure = null;
    if (why != null) {
      throw why;
    }
  }

  @Override
  public boolean isOver() {
    return !isLost;
  }

  @Override
  public void close() {
    if (!isLost) {
      await();
    }
  }
}
