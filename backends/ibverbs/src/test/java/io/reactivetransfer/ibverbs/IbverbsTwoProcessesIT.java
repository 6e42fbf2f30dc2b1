package io.reactivetransfer.ibverbs;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Capability;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;
import io.reactivetransfer.tck.process.TwoProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import org.junit.jupiter.api.AfterAll;

/** What crosses the border of a process, from one to another and back, in the guest. */
@Chapters({
  "Visibility",
  "Arrival",
  "Quiet",
  "LostPeer",
  "Abort",
  "Revocation",
  "Counting",
  "Placement",
  "Message",
  "Driver",
  "DriverReport",
  "Barrier",
  "NicFailure",
  "Control"
})
class IbverbsTwoProcessesIT extends TransferConformance {

  private static final TwoProcesses BOTH =
      new TwoProcesses(IbverbsProcessConformanceIT.Verbs.class);

  @AfterAll
  static void end() {
    BOTH.close();
  }

  @Override
  protected Backend backend() {
    return BOTH;
  }

  @Override
  protected Profile profile() {
    return Profile.defaults()
        .withNicCounts(1, 2)
        .without(Capability.SECRET_KEYS, "as in one process")
        .skipIfUnavailable();
  }

  @Override
  protected SegmentAllocator memory(Arena arena) {
    return BOTH.memory();
  }
}
