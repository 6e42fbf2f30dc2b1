package io.reactivetransfer.cuda;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.TransferConformance;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.BeforeAll;

/**
 * All memory is a GPU's, on both sides: the chapters in which something is written or registered,
 * waits, or is refused. The others have a run over loopback with such memory, and one over the same
 * backend without.
 */
@Chapters(
    value = {
      "Visibility",
      "Arrival",
      "Quiet",
      "Cancel",
      "LostPeer",
      "Abort",
      "BackPressure",
      "Revocation",
      "Counting",
      "Placement",
      "Registration",
      "Shutdown",
      "Driver",
      "DriverLimit",
      "DriverReport",
      "DriverTrust",
      "DriverWait",
      "DriverRelease",
      "DriverDevice",
      "NicFailure",
      "Size",
      "HalfWay",
      "Leftover"
    },
    unlessAll = true)
abstract class WholeGpu extends TransferConformance {

  @BeforeAll
  static void loadTheDriver() {
    Gpus.load();
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return ShownMemory.in(arena);
  }
}
