package io.reactivetransfer.cuda;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.BeforeAll;

/**
 * All memory is a GPU's, on both sides. Each class says which chapters a usual build runs over its
 * backend. The others that a NIC can break have a run over loopback with such memory, because what
 * copies it stands before every NIC and is the same, and one over the same backend without.
 */
abstract class WholeGpu extends TransferConformance {

  @BeforeAll
  static void loadTheDriver() {
    Gpus.load();
  }

  @Override
  protected Profile profile() {
    return ofFewNics(Profile.defaults());
  }

  /** In a usual build; how an engine shares writes out among NICs is the same for all memory. */
  static Profile ofFewNics(Profile profile) {
    return Boolean.getBoolean(Chapters.ALL) ? profile : profile.withNicCounts(2);
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return ShownMemory.in(arena);
  }
}
