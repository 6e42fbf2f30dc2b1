package io.reactivetransfer;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory that the CPU addresses: a native segment (from an {@link java.lang.foreign.Arena}, a
 * mapped file, or {@code reinterpret}ed).
 *
 * @param segment native and writable, also where it is only a source, as with {@code
 *     MapMode.PRIVATE} for a file that is not to change; heap segments are refused, because the
 *     garbage collector may move them while a NIC writes
 */
public record HostMemory(MemorySegment segment) implements Memory {

  /** Checks the segment. */
  public HostMemory {
    Objects.requireNonNull(segment, "segment");
    if (!segment.isNative()) {
      throw new IllegalArgumentException(
          "expected native memory, got a heap segment of "
              + segment.byteSize()
              + " bytes; allocate it from an Arena");
    }
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException(
          "expected writable memory, also of what is only read, got a read-only segment; copy it to"
              + " writable memory, or map the file READ_WRITE or PRIVATE");
    }
    if (!segment.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {}))) {
      throw new IllegalArgumentException(
          "expected memory that other threads may access, got a segment confined to one thread;"
              + " use Arena.ofShared(), ofAuto() or global()");
    }
  }

  /** {@link Device#HOST}. */
  @Override
  public Device device() {
    return Device.HOST;
  }

  @Override
  public long length() {
    return segment.byteSize();
  }
}
