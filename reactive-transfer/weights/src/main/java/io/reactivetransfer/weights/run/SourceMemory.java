package io.reactivetransfer.weights.run;

import io.reactivetransfer.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A region of a trainer's rank, as its description names it. It stays the application's, which
 * keeps it alive, and does not change it, as long as a run reads it.
 */
public sealed interface SourceMemory {

  /** Length in bytes. */
  long length();

  /**
   * What NICs read: a region of the engine that the trainer's rank is opened with, of the host or
   * of an accelerator.
   */
  static SourceMemory of(MemoryRegion region) {
    return new Registered(region);
  }

  /**
   * What NICs do not read, such as a mapped file: it is loaded into a temporary first.
   *
   * @throws IllegalArgumentException if only one thread may read it
   */
  static SourceMemory loaded(MemorySegment segment) {
    return new Loaded(segment);
  }

  /**
   * A registered region.
   *
   * @param region the region
   */
  record Registered(MemoryRegion region) implements SourceMemory {

    /** Checks for null. */
    public Registered {
      Objects.requireNonNull(region, "region");
    }

    @Override
    public long length() {
      return region.length();
    }
  }

  /**
   * Memory that is not registered.
   *
   * @param segment the memory, of the host, which any thread may read
   */
  record Loaded(MemorySegment segment) implements SourceMemory {

    /** It never runs, and stands for any other one: this is asked for each step of a run. */
    private static final Thread ANY_THREAD =
        Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    /** Checks that any thread may read it. */
    public Loaded {
      Objects.requireNonNull(segment, "segment");
      if (!segment.isAccessibleBy(ANY_THREAD)) {
        throw new IllegalArgumentException(
            "expected memory that any thread may read, got a segment of a confined arena: "
                + segment);
      }
    }

    @Override
    public long length() {
      return segment.byteSize();
    }
  }
}
