package io.reactivetransfer.tools.perf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The reference of backends within one machine: one thread that copies, slot after slot. */
final class MemcpyReference {

  /** Looking at the clock costs as much as copying some hundred bytes. */
  private static final int COPIES_PER_LOOK = 16;

  private static final long PAGE = 4096;

  private MemcpyReference() {}

  static RunFigures run(Layout layout, MemorySegment source, long nanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment destination = arena.allocate(layout.bytes(), PAGE);
      Tally tally = new Tally(nanos);
      long start = System.nanoTime();
      long operations = 0;
      long now;
      do {
        for (int i = 1; i < COPIES_PER_LOOK; i++) {
          copy(layout, source, destination, operations++);
        }
        long before = System.nanoTime();
        copy(layout, source, destination, operations++);
        now = System.nanoTime();
        tally.done(now - before);
      } while (!tally.isTimeUp(now));
      RunFigures sampled = tally.figures(Usage.NONE, 0);
      return new RunFigures(
          operations,
          now - start,
          sampled.p50Nanos(),
          sampled.p99Nanos(),
          sampled.p999Nanos(),
          Usage.NONE,
          0);
    }
  }

  private static void copy(
      Layout layout, MemorySegment source, MemorySegment destination, long operation) {
    long offset = layout.offset(operation);
    MemorySegment.copy(source, offset, destination, offset, layout.operationBytes());
  }
}
