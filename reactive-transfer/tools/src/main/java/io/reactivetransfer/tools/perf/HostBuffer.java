package io.reactivetransfer.tools.perf;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of the host, page-aligned. */
final class HostBuffer implements Buffer {

  private static final long ALIGNMENT = 4096;

  private final Arena arena;
  private final MemorySegment segment;

  @SuppressWarnings("MustBeClosed") // it is closed with this
  HostBuffer(long bytes) {
    this.arena = Arena.ofShared();
    try {
      this.segment = arena.allocate(bytes, ALIGNMENT);
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no native memory for " + bytes + " bytes: " + e.getMessage(), e);
    }
  }

  @Override
  public Memory memory() {
    return new HostMemory(segment);
  }

  @Override
  public void fill(long seed) {
    Content.fill(segment, seed);
  }

  @Override
  public long checksum(long bytes) {
    return Content.checksum(segment.asSlice(0, bytes));
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public void close() {
    arena.close();
  }
}
