package io.reactivetransfer.tcp;

import io.reactivetransfer.tck.Chapters;
import org.junit.jupiter.api.Tag;

/**
 * Further chapters of the same. A usual build has them over a network that does no such thing, and
 * those over this one in which most bytes come.
 */
@Tag("nightly")
@Chapters({
  "Quiet",
  "Cancel",
  "Terminal",
  "Abort",
  "Shutdown",
  "Driver",
  "Deadline",
  "Outcome",
  "Barrier",
  "NicFailure"
})
class CrumblingCableFurtherConformanceTest extends CrumblingCableConformanceTest {}
