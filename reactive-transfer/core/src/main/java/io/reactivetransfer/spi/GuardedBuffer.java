package io.reactivetransfer.spi;

import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A buffer as drivers see it: what it throws is a {@link BackendException}, like all that its
 * access throws. It is closed once, and nothing more is asked of it then: the access may have given
 * it to somebody else.
 */
final class GuardedBuffer implements StagingBuffer {

  private final GuardedAccess access;
  private final StagingBuffer buffer;
  private final MemorySegment memory;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /**
   * In front of somebody else's buffer.
   *
   * @throws IllegalStateException if it is not of that size, or no native memory
   */
  GuardedBuffer(GuardedAccess access, StagingBuffer buffer, long bytes) {
    this.access = access;
    this.buffer = buffer;
    this.memory = buffer.memory();
    if (!memory.isNative() || memory.isReadOnly() || memory.byteSize() != bytes) {
      throw new IllegalStateException(
          "expected a staging buffer of " + bytes + " bytes of native memory, got " + memory);
    }
  }

  private void requireOpen() {
    if (isClosed.get()) {
      throw new IllegalStateException("expected a staging buffer that is open, got a closed one");
    }
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {
    try { // without a lambda: nothing is allocated for a copy
      requireOpen();
      buffer.fetch(source, sourceOffset, at, length);
    } catch (Throwable failure) {
      throw access.refusal(failure);
    }
  }

  @Override
  public void store(long at, DeviceMemory target, long targetOffset, long length) {
    try {
      requireOpen();
      buffer.store(at, target, targetOffset, length);
    } catch (Throwable failure) {
      throw access.refusal(failure);
    }
  }

  @Override
  public void await() {
    try {
      requireOpen();
      buffer.await();
    } catch (Throwable failure) {
      throw access.refusal(failure);
    }
  }

  @Override
  public boolean isOver() {
    try {
      return !isClosed.get() && buffer.isOver();
    } catch (Throwable failure) {
      return false; // nobody knows
    }
  }

  @Override
  public void close() {
    if (isClosed.getAndSet(true)) {
      return;
    }
    try {
      buffer.close();
    } catch (Throwable failure) {
      throw access.refusal(failure);
    }
  }
}
