package io.reactivetransfer.cuda;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.BeforeAll;

/** One side's memory is a GPU's: the chapters that look at bytes. */
@Chapters(
    value = {"Visibility", "Placement", "HalfWay"},
    unlessAll = true)
abstract class HalfGpu extends TransferConformance {

  @BeforeAll
  static void loadTheDriver() {
    Gpus.load();
  }

  @Override
  protected Profile profile() {
    return WholeGpu.ofFewNics(Profile.defaults());
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return ShownMemory.in(arena);
  }
}
